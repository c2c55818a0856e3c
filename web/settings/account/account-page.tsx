import { useMutation } from '@tanstack/solid-query'
import { api, ask } from '../../api/api.ts'
import { fieldError } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { CardForm } from '../../forms/form.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { createFormState } from '../form-state.ts'
import { Page, Section } from '../page.tsx'
import { Devices } from './devices.tsx'
import { PasswordSection } from './password-section.tsx'
import { ThisBrowser } from './this-browser.tsx'

/** The settings of the signed-in agent. */
export function AccountPage() {
  const session = useSession()
  const role = () => (session().agent.role === 'admin' ? 'an administrator' : 'an agent')
  return (
    <Page
      title="Your account"
      lead={`You are ${role()} of ${session().organization.name}, signed in as ${session().agent.email}.`}
    >
      <OwnName />
      <ThisBrowser />
      <PasswordSection />
      <Devices />
    </Page>
  )
}

function OwnName() {
  const session = useSession()
  const form = createFormState('your name', () => ({
    name: session().agent.name,
  }))
  const save = useMutation(() => ({
    mutationFn: () => form.save((sent) => ask(api.console.me.patch(sent))),
    onSuccess: (saved) => {
      queries.setQueryData(['session'], saved)
      void queries.invalidateQueries({ queryKey: queryKeys.agents })
      toast('Name saved.')
    },
  }))
  return (
    <Section title="Name">
      <CardForm save={save} fields={['name']} action="Save name" isUnchanged={!form.isChanged()}>
        <TextField
          label="Your name"
          hint="Shown to customers on your replies and to your team."
          value={form.values.name}
          onInput={(name) => form.setValues({ name })}
          error={fieldError(save.error, 'name')}
          autocomplete="name"
          required
        />
      </CardForm>
    </Section>
  )
}
