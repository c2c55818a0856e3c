import { createSignal, For, onMount, Show } from 'solid-js'
import { api, ask } from '../api/api.ts'
import type { SessionData } from '../api/session.ts'
import { createForm } from '../forms/create-form.ts'
import { PasswordField } from '../forms/password-field.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/text-field.tsx'
import { CredentialsForm, SignInError } from './credentials-form.tsx'
import { focusWhenQuiet } from './focus-when-quiet.ts'
import './frame.css'

interface SignInFormProps {
  /** The session that ended. Its email and organization are used again. */
  again?: SessionData
  onSignedIn: (session: SessionData) => void
}

interface Organization {
  id: string
  name: string
}

/** Email and password, then the organization if the agent belongs to several. */
export function SignInForm(props: SignInFormProps) {
  const [organizations, setOrganizations] = createSignal<Organization[]>([])
  let passwordInput: HTMLInputElement | undefined
  if (props.again) focusWhenQuiet(() => passwordInput)

  const form = createForm({
    values: () => ({ email: props.again?.agent.email ?? '', password: '', orgId: '' }),
    save: ({ email, password, orgId: chosen }) => {
      const orgId = props.again?.organization.id ?? chosen
      return ask(api.console.session.post({ email: email.trim(), password, ...(orgId && { orgId }) })).catch(
        (error: unknown) => {
          passwordInput?.select()
          throw error
        },
      )
    },
    onSaved: (answer) => {
      if ('organizations' in answer) setOrganizations(answer.organizations)
      else props.onSignedIn(answer)
    },
    isUnsaved: () => false,
  })
  function choose(orgId: string) {
    form.set({ orgId })
    form.submit.mutate()
  }

  return (
    <Show
      when={organizations().length === 0}
      fallback={<OrganizationChooser all={organizations()} onChoose={choose} error={form.error()} />}
    >
      <CredentialsForm form={form} focusOn={props.again ? undefined : 'email'} action="Sign in">
        <TextField
          {...form.text('email')}
          label="Email"
          name="email"
          type="email"
          autocomplete="username"
          required
          readonly={props.again !== undefined}
        />
        <PasswordField
          {...form.text('password')}
          label="Password"
          autocomplete="current-password"
          ref={(input) => {
            passwordInput = input
          }}
        />
      </CredentialsForm>
    </Show>
  )
}

function OrganizationChooser(props: {
  all: Organization[]
  onChoose: (orgId: string) => void
  error: unknown
}) {
  let list: HTMLUListElement | undefined
  onMount(() => list?.querySelector('button')?.focus())
  return (
    <div class="stack">
      <p>Choose an organization</p>
      <ul class="sign-in-form-organizations stack-tight" ref={list}>
        <For each={props.all}>
          {({ id, name }) => (
            <li>
              <Button onClick={() => props.onChoose(id)}>{name}</Button>
            </li>
          )}
        </For>
      </ul>
      <SignInError error={props.error} />
    </div>
  )
}
