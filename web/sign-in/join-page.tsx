import { useNavigate } from '@solidjs/router'
import { useMutation, useQuery, useQueryClient } from '@tanstack/solid-query'
import { createSignal, Match, onMount, Show, Switch } from 'solid-js'
import { type Answer, api, ask } from '../api/api.ts'
import { fieldError, isNotFound } from '../api/api-problem.ts'
import { queryKeys } from '../api/query-keys.ts'
import { sessionQuery } from '../api/session.ts'
import { FailedState } from '../forms/failed-state.tsx'
import { PasswordField } from '../forms/password-field.tsx'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/text-field.tsx'
import { Frame } from './frame.tsx'
import { createLinkToken } from './link-token.ts'
import { SignInError } from './sign-in-error.tsx'

type Link = Answer<typeof api.console.link.post>

/** `/join#token`: accepts an invitation, or sets a new password. */
export default function JoinPage() {
  const token = createLinkToken()
  const link = useQuery(() => ({
    queryKey: queryKeys.link(token()),
    queryFn: () => ask(api.console.link.post({ token: token() })),
    enabled: token() !== '',
    staleTime: Number.POSITIVE_INFINITY,
  }))
  const isExpired = () => token() === '' || isNotFound(link.error)
  return (
    <Switch>
      <Match when={isExpired()}>
        <Expired />
      </Match>
      <Match when={link.data}>{(data) => <JoinForm token={token()} link={data()} />}</Match>
      <Match when={link.error}>
        {(error) => (
          <FailedState title="Couldn't check the link" error={error()} onRetry={() => link.refetch()} />
        )}
      </Match>
    </Switch>
  )
}

function Expired() {
  return (
    <Frame title="This link has expired" text="Links work once and expire after 7 days.">
      <div class="stack">
        <p>Ask an administrator for a new one.</p>
        <a href="/sign-in">Sign in with a password</a>
      </div>
    </Frame>
  )
}

function JoinForm(props: { token: string; link: Link }) {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isInvitation = () => props.link.purpose === 'invitation'
  const [name, setName] = createSignal(props.link.agent.name)
  const [password, setPassword] = createSignal('')
  let passwordInput: HTMLInputElement | undefined
  onMount(() => passwordInput?.focus())

  const join = useMutation(() => ({
    mutationFn: () => {
      const profile = isInvitation() ? { name: name() } : {}
      return ask(api.console.link.accept.post({ token: props.token, password: password(), ...profile }))
    },
    onSuccess: (session) => {
      queries.setQueryData(sessionQuery.queryKey, session)
      navigate('/inbox', { replace: true })
    },
  }))

  function submit(event: Event) {
    event.preventDefault()
    if (!join.isPending) join.mutate()
  }

  return (
    <Frame
      title={isInvitation() ? `Join ${props.link.organization.name}` : 'Choose a new password'}
      text={isInvitation() ? 'Choose a password to join.' : `For ${props.link.organization.name}.`}
    >
      <form class="stack" onSubmit={submit}>
        <TextField
          label="Email"
          name="email"
          type="email"
          autocomplete="username"
          value={props.link.agent.email}
          onInput={() => {}}
          readonly
        />
        <Show when={isInvitation()}>
          <TextField
            label="Your name"
            name="name"
            hint="Shown to customers on your replies."
            autocomplete="name"
            value={name()}
            onInput={setName}
            error={fieldError(join.error, 'name')}
            required
          />
        </Show>
        <PasswordField
          label={isInvitation() ? 'Password' : 'New password'}
          autocomplete="new-password"
          value={password()}
          onInput={setPassword}
          error={fieldError(join.error, 'password')}
          ref={(input) => {
            passwordInput = input
          }}
        />
        <SignInError error={join.error} />
        <Button look="primary" type="submit" isBusy={join.isPending}>
          {isInvitation() ? 'Join' : 'Save and sign in'}
        </Button>
      </form>
    </Frame>
  )
}
