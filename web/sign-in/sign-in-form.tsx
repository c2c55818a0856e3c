import { useMutation } from '@tanstack/solid-query'
import { createSignal, For, onMount, Show } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { fieldError } from '../api/api-problem.ts'
import type { SessionData } from '../api/session.ts'
import { PasswordField } from '../forms/password-field.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/text-field.tsx'
import { focusWhenQuiet } from './focus-when-quiet.ts'
import { SignInError } from './sign-in-error.tsx'
import './sign-in-form.css'

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
  const [email, setEmail] = createSignal(props.again?.agent.email ?? '')
  const [password, setPassword] = createSignal('')
  const [organizations, setOrganizations] = createSignal<Organization[]>([])
  let emailInput: HTMLInputElement | undefined
  let passwordInput: HTMLInputElement | undefined
  if (props.again) focusWhenQuiet(() => passwordInput)
  else onMount(() => emailInput?.focus())

  const signIn = useMutation(() => ({
    mutationFn: (orgId: string | undefined) => {
      const body = { email: email().trim(), password: password(), ...(orgId ? { orgId } : {}) }
      return ask(api.console.session.post(body))
    },
    onSuccess: (answer) => {
      if ('organizations' in answer) setOrganizations(answer.organizations)
      else props.onSignedIn(answer)
    },
    onError: () => passwordInput?.select(),
  }))

  function submit(event: Event) {
    event.preventDefault()
    if (!signIn.isPending) signIn.mutate(props.again?.organization.id)
  }

  return (
    <Show
      when={organizations().length === 0}
      fallback={<OrganizationChooser all={organizations()} onChoose={signIn.mutate} error={signIn.error} />}
    >
      <form class="stack" onSubmit={submit}>
        <TextField
          label="Email"
          name="email"
          type="email"
          value={email()}
          onInput={setEmail}
          autocomplete="username"
          required
          readonly={props.again !== undefined}
          error={fieldError(signIn.error, 'email')}
          ref={(input) => {
            emailInput = input
          }}
        />
        <PasswordField
          label="Password"
          value={password()}
          onInput={setPassword}
          autocomplete="current-password"
          error={fieldError(signIn.error, 'password')}
          ref={(input) => {
            passwordInput = input
          }}
        />
        <SignInError error={signIn.error} />
        <Button look="primary" type="submit" isBusy={signIn.isPending}>
          Sign in
        </Button>
      </form>
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
      <ul class="sign-in-form-organizations" ref={list}>
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
