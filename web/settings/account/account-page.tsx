import { useMutation } from '@tanstack/solid-query'
import { api, ask } from '../../api/api.ts'
import { fieldError } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { CardForm } from '../../forms/form.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { Page, Section } from '../page.tsx'
import { createTypedValues } from '../typed-values.ts'
import { Devices } from './devices.tsx'
import { PasswordSection } from './password-section.tsx'
import { ThisBrowser } from './this-browser.tsx'

/** What everybody decides for themselves. */
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
  const [values, setValues, sendValues] = createTypedValues('Your name', () => ({
    name: session().agent.name,
  }))
  const save = useMutation(() => ({
    mutationFn: () => sendValues((sent) => ask(api.console.me.patch(sent))),
    onSuccess: (saved) => {
      queries.setQueryData(['session'], saved)
      void queries.invalidateQueries({ queryKey: queryKeys.agents })
      toast('Your name is saved.')
    },
  }))
  return (
    <Section title="Name">
      <CardForm save={save} fields={['name']} action="Save name">
        <TextField
          label="Your name"
          hint="Customers see it above your replies, colleagues everywhere."
          value={values.name}
          onInput={(name) => setValues({ name })}
          error={fieldError(save.error, 'name')}
          autocomplete="name"
          required
        />
      </CardForm>
    </Section>
  )
}
