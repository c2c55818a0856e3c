import { Match, Show, Switch } from 'solid-js'
import { PasswordField } from '../../forms/password-field.tsx'
import { SegmentedControl } from '../../ui/segmented-control.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { FormGroup } from './form-group.tsx'
import './mailbox-fields.css'
import {
  type Mailbox,
  type MailProvider,
  type OauthProvider,
  PROVIDER_NAMES,
  type SignIn,
} from './mailbox-data.ts'
import {
  faultOf,
  hasFaultIn,
  type MailboxValues,
  OPTION_FIELDS,
  SERVER_FIELDS,
  serverValues,
} from './mailbox-values.ts'
import { MissingClient } from './missing-client.tsx'
import { OptionFields } from './option-fields.tsx'
import { ServerFields } from './server-fields.tsx'

const SIGN_INS: { value: SignIn; label: string }[] = [
  { value: 'password', label: 'Password' },
  { value: 'google', label: 'Google' },
  { value: 'microsoft', label: 'Microsoft' },
]

interface MailboxFieldsProps {
  values: MailboxValues
  onChange: (change: Partial<MailboxValues>) => void
  error: unknown
  providers: readonly MailProvider[]
  /** The provider that the address belongs to. */
  provider: MailProvider | undefined
  /** Folders on the server, as far as they are known. */
  folders: readonly string[]
  /** Undefined for a new one. */
  mailbox?: Mailbox
}

/** The address first, then how to sign in. Servers and options are folded away. */
export function MailboxFields(props: MailboxFieldsProps) {
  return (
    <>
      <div class="form-columns">
        <TextField
          label="Email address"
          // Not of the type "email": Chromium takes only ASCII there, and shows a domain in ASCII.
          inputmode="email"
          hint="The address your customers write to."
          value={props.values.address}
          onInput={(address) => props.onChange({ address })}
          error={faultOf(props.error, 'address')}
          placeholder="support@example.com"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          required
        />
        <TextField
          label="Name"
          hint="Shown to customers as the sender."
          value={props.values.name}
          onInput={(name) => props.onChange({ name })}
          error={faultOf(props.error, 'name')}
          autocomplete="off"
          required
        />
      </div>
      <SignInFields {...props} />
      <Show when={props.values.signIn === 'password'}>
        <FormGroup
          title="Servers"
          text={serversText(props.values)}
          isNeeded={isServerMissing(props) || hasFaultIn(props.error, SERVER_FIELDS)}
        >
          <ServerFields {...props} hasSmtpPassword={props.mailbox?.hasSmtpPassword ?? false} />
        </FormGroup>
      </Show>
      <FormGroup
        title="Options"
        text="Folders, assignee, signature, automatic reply, and more"
        isNeeded={hasFaultIn(props.error, OPTION_FIELDS)}
      >
        <OptionFields {...props} isNew={props.mailbox === undefined} />
      </FormGroup>
    </>
  )
}

function SignInFields(props: MailboxFieldsProps) {
  function choose(signIn: SignIn) {
    const provider = signIn === 'password' ? undefined : props.providers.find(({ id }) => id === signIn)
    props.onChange({ signIn, ...(provider && serverValues(provider)) })
  }
  return (
    <>
      <div class="stack-tight">
        <p class="mailbox-fields-label" aria-hidden="true">
          Sign in with
        </p>
        <SegmentedControl
          label="Sign in with"
          options={SIGN_INS}
          value={props.values.signIn}
          onChange={choose}
        />
        <Show when={props.provider}>{(provider) => <ProviderNote provider={provider()} />}</Show>
      </div>
      <Switch>
        <Match when={props.values.signIn === 'password'}>
          <PasswordField
            label="Password"
            name="mailbox-password"
            autocomplete="new-password"
            hint={
              props.mailbox?.signIn === 'password'
                ? 'Leave empty to keep the stored one.'
                : "The mailbox's password, or an app password. Stored encrypted."
            }
            isOptional={props.mailbox?.signIn === 'password'}
            value={props.values.password}
            onInput={(password) => props.onChange({ password })}
            error={faultOf(props.error, 'imap/password') ?? smtpPasswordFault(props)}
          />
        </Match>
        {/* A stored mailbox offers the sign-in above the form. */}
        <Match when={props.mailbox?.signIn !== props.values.signIn && oauthOf(props.values)}>
          {(provider) => <OauthHint provider={provider()} />}
        </Match>
      </Switch>
    </>
  )
}

function ProviderNote(props: { provider: MailProvider }) {
  return (
    <Show when={props.provider.note}>
      {(note) => (
        <p class="muted">
          {props.provider.name}: {note()}{' '}
          <Show when={props.provider.link}>
            {(link) => (
              <a href={link()} target="_blank" rel="noreferrer">
                Open {props.provider.name}
              </a>
            )}
          </Show>
        </p>
      )}
    </Show>
  )
}

/** How to continue with the sign-in at a provider. */
function OauthHint(props: { provider: OauthProvider }) {
  return (
    <MissingClient
      provider={props.provider}
      fallback={<p class="muted">You sign in at {PROVIDER_NAMES[props.provider]} in the next step.</p>}
    />
  )
}

/** The password is the same, so its field shows that it is missing for the other server. */
function smtpPasswordFault({ error, values }: MailboxFieldsProps): string | undefined {
  return values.smtpSignIn === 'same' ? faultOf(error, 'smtp/password') : undefined
}

function serversText({ imapHost, smtpHost }: MailboxValues): string {
  if (imapHost && smtpHost) return imapHost === smtpHost ? imapHost : `${imapHost}, ${smtpHost}`
  return 'Where mail is received and sent'
}

/** Unfolds the servers if the provider of the address isn't known. */
function isServerMissing({ values, provider, mailbox }: MailboxFieldsProps): boolean {
  const isAddress = /@[^@\s]+\.[^@\s]{2,}$/.test(values.address)
  return !mailbox && isAddress && !provider && values.password !== '' && values.imapHost === ''
}

function oauthOf({ signIn }: MailboxValues): OauthProvider | undefined {
  return signIn === 'password' ? undefined : signIn
}
