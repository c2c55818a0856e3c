import { useNavigate } from '@solidjs/router'
import { useQuery, useQueryClient } from '@tanstack/solid-query'
import { createSignal, Match, onMount, Switch } from 'solid-js'
import { api, ask } from '../api/api.ts'
import { codeOf } from '../api/api-problem.ts'
import { queryKeys } from '../api/query-keys.ts'
import { sessionQuery } from '../api/session.ts'
import { createForm } from '../forms/create-form.ts'
import { FailedState } from '../forms/failed-state.tsx'
import { FormBody } from '../forms/form.tsx'
import { PasswordField } from '../forms/password-field.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/text-field.tsx'
import { Frame } from './frame.tsx'
import { createLinkToken } from './link-token.ts'
import { SignInError } from './sign-in-error.tsx'

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
        {(error) => (
          <FailedState
            title="Couldn't check the link"
            error={error()}
            onRetry={() => check.refetch()}
            isBusy={check.isFetching}
          />
        )}
      </Match>
    </Switch>
  )
}

function WelcomeForm(props: { token: string; onAlreadySetUp: () => void }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  let first: HTMLInputElement | undefined
  onMount(() => first?.focus())

  const form = createForm({
    values: () => ({ organization: '', name: '', email: '', password: '' }),
    save: (values) =>
      ask(api.console['first-run'].post({ ...values, token: props.token })).catch((error: unknown) => {
        if (codeOf(error) === 'already_set_up') props.onAlreadySetUp()
        throw error
      }),
    onSaved: (session) => {
      queries.setQueryData(sessionQuery.queryKey, session)
      navigate('/inbox', { replace: true })
    },
    isUnsaved: () => false,
  })

  return (
    <Frame title="Welcome to Bellhop" text="Create your organization and account.">
      <FormBody form={form} class="stack">
        <TextField
          {...form.text('organization')}
          label="Organization"
          name="organization"
          placeholder="Acme"
          autocomplete="organization"
          required
          ref={(input) => {
            first = input
          }}
        />
        <TextField
          {...form.text('name')}
          label="Your name"
          name="name"
          hint="Shown to customers on your replies."
          autocomplete="name"
          required
        />
        <TextField
          {...form.text('email')}
          label="Email"
          name="email"
          type="email"
          autocomplete="username"
          required
        />
        <PasswordField {...form.text('password')} label="Password" autocomplete="new-password" />
        <SignInError error={form.error()} />
        <Button look="primary" type="submit" isBusy={form.submit.isPending}>
          Create organization
        </Button>
      </FormBody>
    </Frame>
  )
}
