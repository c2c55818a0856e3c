import { Match, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { createForm } from '../../forms/create-form.ts'
import { FormBody, FormProblem } from '../../forms/form.tsx'
import { PasswordField } from '../../forms/password-field.tsx'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { type Mailbox, mailboxes, type OauthProvider, openSignIn, PROVIDER_NAMES } from './mailbox-data.ts'
import { MissingClient, useHasClient } from './oauth-clients.tsx'

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
          <p>{props.mailbox.detail}</p>
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
  /** The server that refused it. */
  const side = () => {
    const { health, hasSmtpPassword } = props.mailbox
    return hasSmtpPassword && health.receiveError === null && health.sendError !== null ? 'smtp' : 'imap'
  }
  const form = createForm({
    values: () => ({ password: '' }),
    save: ({ password }) => {
      const one = api.console.mailboxes({ id: props.mailbox.id })
      if (password === '') return ask(one.resume.post())
      return ask(one.patch({ [side()]: { ...props.mailbox[side()], password } }))
    },
    onSaved: (mailbox) => {
      mailboxes.show(mailbox)
      return 'Connecting again.'
    },
    isUnsaved: () => false,
  })
  return (
    <FormBody form={form} class="reconnect-form">
      <PasswordField
        {...form.text('password', `${side()}/password`)}
        label={side() === 'imap' ? 'Current password' : 'Current password for sending'}
        name="mailbox-password"
        autocomplete="new-password"
        hint="Leave empty to try the stored one again."
        isOptional
      />
      <Button look="primary" type="submit" isBusy={form.submit.isPending}>
        Reconnect
      </Button>
      <FormProblem error={form.error()} fields={form.shown} />
    </FormBody>
  )
}

function SignInAgain(props: { mailbox: Mailbox; provider: OauthProvider }) {
  const form = createForm({
    values: () => ({ login: '' }),
    save: ({ login }) => openSignIn(props.mailbox.id, login),
    isUnsaved: () => false,
  })
  const hasClient = useHasClient(() => props.provider)
  return (
    <FormBody form={form} class="reconnect-form">
      <MissingClient provider={props.provider} fallback={undefined} />
      <TextField
        {...form.text('login')}
        label="Account"
        aside="optional"
        hint="For a shared mailbox, an account with access to it."
        placeholder={props.mailbox.imap.user}
        type="email"
        autocomplete="off"
        spellcheck={false}
      />
      <Button
        look="primary"
        type="submit"
        isBusy={form.submit.isPending}
        isUnavailable={hasClient() === false}
      >
        {props.mailbox.isSignedIn ? 'Reconnect' : 'Sign in'} with {PROVIDER_NAMES[props.provider]}
      </Button>
      <FormProblem error={form.error()} />
    </FormBody>
  )
}
