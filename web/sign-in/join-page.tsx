import { useQuery } from '@tanstack/solid-query'
import { Match, Show, Switch } from 'solid-js'
import { type Answer, api, ask } from '../api/api.ts'
import { isNotFound } from '../api/api-problem.ts'
import { queryKeys } from '../api/query-keys.ts'
import { createForm } from '../forms/create-form.ts'
import { FailedQuery } from '../forms/failed-state.tsx'
import { PasswordField } from '../forms/password-field.tsx'
import { TextField } from '../ui/text-field.tsx'
import { AgentNameField, CredentialsForm, useSignedIn } from './credentials-form.tsx'
import { createLinkToken, Frame } from './frame.tsx'

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
        <FailedQuery title="Couldn't check the link" query={link} />
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
  const isInvitation = () => props.link.purpose === 'invitation'
  const form = createForm({
    values: () => ({ name: props.link.agent.name, password: '' }),
    save: ({ name, password }) =>
      ask(api.console.link.accept.post({ token: props.token, password, ...(isInvitation() && { name }) })),
    onSaved: useSignedIn(),
    isUnsaved: () => false,
  })

  return (
    <Frame
      title={isInvitation() ? `Join ${props.link.organization.name}` : 'Choose a new password'}
      text={isInvitation() ? 'Choose a password to join.' : `For ${props.link.organization.name}.`}
    >
      <CredentialsForm form={form} focusOn="password" action={isInvitation() ? 'Join' : 'Save and sign in'}>
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
          <AgentNameField {...form.text('name')} />
        </Show>
        <PasswordField
          {...form.text('password')}
          label={isInvitation() ? 'Password' : 'New password'}
          autocomplete="new-password"
        />
      </CredentialsForm>
    </Frame>
  )
}
