import { useNavigate } from '@solidjs/router'
import { useQuery, useQueryClient } from '@tanstack/solid-query'
import { Match, onMount, Show, Switch } from 'solid-js'
import { type Answer, api, ask } from '../api/api.ts'
import { isNotFound } from '../api/api-problem.ts'
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
  let passwordInput: HTMLInputElement | undefined
  onMount(() => passwordInput?.focus())

  const form = createForm({
    values: () => ({ name: props.link.agent.name, password: '' }),
    save: ({ name, password }) =>
      ask(api.console.link.accept.post({ token: props.token, password, ...(isInvitation() && { name }) })),
    onSaved: (session) => {
      queries.setQueryData(sessionQuery.queryKey, session)
      navigate('/inbox', { replace: true })
    },
    isUnsaved: () => false,
  })

  return (
    <Frame
      title={isInvitation() ? `Join ${props.link.organization.name}` : 'Choose a new password'}
      text={isInvitation() ? 'Choose a password to join.' : `For ${props.link.organization.name}.`}
    >
      <FormBody form={form} class="stack">
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
            {...form.text('name')}
            label="Your name"
            name="name"
            hint="Shown to customers on your replies."
            autocomplete="name"
            required
          />
        </Show>
        <PasswordField
          {...form.text('password')}
          label={isInvitation() ? 'Password' : 'New password'}
          autocomplete="new-password"
          ref={(input) => {
            passwordInput = input
          }}
        />
        <SignInError error={form.error()} />
        <Button look="primary" type="submit" isBusy={form.submit.isPending}>
          {isInvitation() ? 'Join' : 'Save and sign in'}
        </Button>
      </FormBody>
    </Frame>
  )
}
