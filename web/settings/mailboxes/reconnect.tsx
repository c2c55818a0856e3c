import { useMutation } from '@tanstack/solid-query'
import { createSignal, Match, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { FormProblem } from '../../forms/form.tsx'
import { PasswordField } from '../../forms/password-field.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { type Mailbox, type OauthProvider, openSignIn, PROVIDER_NAMES, showMailbox } from './mailbox-data.ts'
import { faultOf } from './mailbox-values.ts'
import { MissingClient, useHasClient } from './missing-client.tsx'
import './reconnect.css'

/** What is wrong with a mailbox. A refused one is connected again with one button. */
export function Reconnect(props: { mailbox: Mailbox }) {
  return (
    <Switch>
      <Match when={props.mailbox.state === 'refused'}>
        <section
          class="card reconnect"
          aria-label="Reconnect"
          data-broken={props.mailbox.isSignedIn || undefined}
        >
          <p class="reconnect-reason">{props.mailbox.detail}</p>
          <Show
            when={props.mailbox.signIn !== 'password' && props.mailbox.signIn}
            fallback={<PasswordAgain mailbox={props.mailbox} />}
          >
            {(provider) => <SignInAgain mailbox={props.mailbox} provider={provider()} />}
          </Show>
        </section>
      </Match>
      <Match when={props.mailbox.state === 'failing'}>
        <p class="notice">{props.mailbox.detail} Bellhop keeps trying.</p>
      </Match>
    </Switch>
  )
}

/** The new password, or the stored one once more. */
function PasswordAgain(props: { mailbox: Mailbox }) {
  const [password, setPassword] = createSignal('')
  /** The server that refused it. */
  const side = () => {
    const { health, hasSmtpPassword } = props.mailbox
    return hasSmtpPassword && health.receiveError === null && health.sendError !== null ? 'smtp' : 'imap'
  }
  const reconnect = useMutation(() => ({
    mutationFn: () => {
      const one = api.console.mailboxes({ id: props.mailbox.id })
      const { imap, smtp } = props.mailbox
      if (password() === '') return ask(one.resume.post())
      const given = { password: password() }
      return ask(
        one.patch(side() === 'imap' ? { imap: { ...imap, ...given } } : { smtp: { ...smtp, ...given } }),
      )
    },
    onSuccess: (mailbox: Mailbox) => {
      showMailbox(mailbox)
      toast('Connecting again.')
    },
  }))
  return (
    <form
      class="reconnect-form"
      onSubmit={(event) => {
        event.preventDefault()
        reconnect.mutate()
      }}
    >
      <PasswordField
        label={side() === 'imap' ? 'Current password' : 'Current password for sending'}
        name="mailbox-password"
        autocomplete="new-password"
        hint="Leave empty to try the stored one again."
        isOptional
        value={password()}
        onInput={setPassword}
        error={faultOf(reconnect.error, `${side()}/password`)}
      />
      <Button look="primary" type="submit" isBusy={reconnect.isPending}>
        Reconnect
      </Button>
      <FormProblem error={reconnect.error} fields={[`${side()}/password`]} />
    </form>
  )
}

function SignInAgain(props: { mailbox: Mailbox; provider: OauthProvider }) {
  const [login, setLogin] = createSignal('')
  const signIn = useMutation(() => ({ mutationFn: () => openSignIn(props.mailbox.id, login()) }))
  const hasClient = useHasClient(() => props.provider)
  const verb = () => (props.mailbox.isSignedIn ? 'Reconnect' : 'Sign in')
  return (
    <form
      class="reconnect-form"
      onSubmit={(event) => {
        event.preventDefault()
        signIn.mutate()
      }}
    >
      <MissingClient provider={props.provider} fallback={undefined} />
      <TextField
        label="Account"
        aside="optional"
        hint="For a shared mailbox, an account with access to it."
        placeholder={props.mailbox.imap.user}
        type="email"
        value={login()}
        onInput={setLogin}
        autocomplete="off"
        spellcheck={false}
      />
      <Button look="primary" type="submit" isBusy={signIn.isPending} isUnavailable={hasClient() === false}>
        {verb()} with {PROVIDER_NAMES[props.provider]}
      </Button>
      <FormProblem error={signIn.error} />
    </form>
  )
}
