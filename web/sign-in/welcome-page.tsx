import { useQuery } from '@tanstack/solid-query'
import { createSignal, Match, Switch } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { codeOf } from '../api/api-problem.ts'
import { queryKeys } from '../api/query-keys.ts'
import { createForm } from '../forms/create-form.ts'
import { FailedQuery } from '../forms/failed-state.tsx'
import { PasswordField } from '../forms/password-field.tsx'
import { TextField } from '../ui/text-field.tsx'
import { AgentNameField, CredentialsForm, useSignedIn } from './credentials-form.tsx'
import { createLinkToken, Frame } from './frame.tsx'

/** `/welcome#token`: creates the organization and its first administrator, from the link the server printed. */
export default function WelcomePage() {
  const token = createLinkToken()
  const [isSetUp, setSetUp] = createSignal(false)
  // Checked first, so that no one fills in the form for an invalid link.
  const check = useQuery(() => ({
    queryKey: queryKeys.setupLink(token()),
    queryFn: async () => {
      await ask(api.console['first-run'].check.post({ token: token() }))
      return true
    },
    enabled: token() !== '',
    staleTime: Number.POSITIVE_INFINITY,
  }))
  const code = () => codeOf(check.error)
  return (
    <Switch>
      <Match when={isSetUp() || code() === 'already_set_up'}>
        <Frame title="Already set up" text="This link was used to create the organization.">
          <a href="/sign-in">Sign in</a>
        </Frame>
      </Match>
      <Match when={!token()}>
        <Frame title="Incomplete link" text="The part after # is missing.">
          <p>Copy the whole link that Bellhop printed in the terminal, and open it again.</p>
        </Frame>
      </Match>
      <Match when={code() === 'wrong_link'}>
        <Frame title="This link has expired" text="Each start of Bellhop prints a new one.">
          <p>Open the latest link from the terminal, or restart Bellhop to print a new one.</p>
        </Frame>
      </Match>
      <Match when={check.isSuccess}>
        <WelcomeForm token={token()} onAlreadySetUp={() => setSetUp(true)} />
      </Match>
      <Match when={check.error}>
        <FailedQuery title="Couldn't check the link" query={check} />
      </Match>
    </Switch>
  )
}

function WelcomeForm(props: { token: string; onAlreadySetUp: () => void }) {
  const form = createForm({
    values: () => ({ organization: '', name: '', email: '', password: '' }),
    save: (values) =>
      ask(api.console['first-run'].post({ ...values, token: props.token })).catch((error: unknown) => {
        if (codeOf(error) === 'already_set_up') props.onAlreadySetUp()
        throw error
      }),
    onSaved: useSignedIn(),
    isUnsaved: () => false,
  })

  return (
    <Frame title="Welcome to Bellhop" text="Create your organization and account.">
      <CredentialsForm form={form} focusOn="organization" action="Create organization">
        <TextField
          {...form.text('organization')}
          label="Organization"
          name="organization"
          placeholder="Acme"
          autocomplete="organization"
          required
        />
        <AgentNameField {...form.text('name')} />
        <TextField
          {...form.text('email')}
          label="Email"
          name="email"
          type="email"
          autocomplete="username"
          required
        />
        <PasswordField {...form.text('password')} label="Password" autocomplete="new-password" />
      </CredentialsForm>
    </Frame>
  )
}
