import { useMutation } from '@tanstack/solid-query'
import { createSignal } from 'solid-js'
import { api, ask } from '../../api.ts'
import { faultOf } from '../../problem.ts'
import { queries } from '../../queries.ts'
import { useSession } from '../../session.tsx'
import { CardForm } from '../../ui/form.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { Page, Section } from '../page.tsx'
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
  const [name, setName] = createSignal(session().agent.name)
  const save = useMutation(() => ({
    mutationFn: () => ask(api.console.me.patch({ name: name() })),
    onSuccess: (saved) => {
      queries.setQueryData(['session'], saved)
      void queries.invalidateQueries({ queryKey: ['agents'] })
      setName(saved.agent.name)
      toast('Your name is saved.')
    },
  }))
  return (
    <Section title="Name">
      <CardForm save={save} fields={['name']} action="Save name">
        <TextField
          label="Your name"
          hint="Customers see it above your replies, colleagues everywhere."
          value={name()}
          onInput={setName}
          error={faultOf(save.error, 'name')}
          autocomplete="name"
          required
        />
      </CardForm>
    </Section>
  )
}
