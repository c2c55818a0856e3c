import { Show } from 'solid-js'
import { fieldError } from '../../api/api-problem.ts'
import { PasswordField } from '../../forms/password-field.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { MailProvider } from './mailbox-data.ts'
import { hasServersOf, type MailboxValues, type SmtpSignIn, serverValues } from './mailbox-values.ts'
import './server-fields.css'

const SECURITIES = [
  { value: 'tls', label: 'TLS' },
  { value: 'starttls', label: 'STARTTLS' },
] as const
const SMTP_SIGN_INS: { value: SmtpSignIn; label: string }[] = [
  { value: 'same', label: 'Same as for receiving' },
  { value: 'own', label: 'Other user or password' },
  { value: 'none', label: 'None' },
]
const OTHER = 'other'

interface ServerFieldsProps {
  values: MailboxValues
  onChange: (change: Partial<MailboxValues>) => void
  error: unknown
  providers: readonly MailProvider[]
  /** SMTP has a stored password of its own. */
  hasSmtpPassword?: boolean
}

/** The servers that a mailbox receives and sends with. */
export function ServerFields(props: ServerFieldsProps) {
  return (
    <>
      <ProviderSelect {...props} />
      <ServerRow {...props} side="imap" title="Receive (IMAP)" />
      <TextField
        label="User name"
        aside="optional"
        hint="Default: the email address."
        value={props.values.user}
        onInput={(user) => props.onChange({ user })}
        error={fieldError(props.error, 'imap/user')}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
      <ServerRow {...props} side="smtp" title="Send (SMTP)" />
      <SmtpSignInFields {...props} />
    </>
  )
}

/** Fills in the servers of a provider. */
function ProviderSelect(props: ServerFieldsProps) {
  const options = () => [
    ...props.providers.map(({ id, name }) => ({ value: id, label: name })),
    { value: OTHER, label: 'Other provider' },
  ]
  // Every field counts: the select also reports a choice when its options arrive, which then changes nothing.
  const chosen = () => props.providers.find((provider) => hasServersOf(props.values, provider))
  function choose(id: string) {
    const provider = props.providers.find((one) => one.id === id)
    if (provider) props.onChange(serverValues(provider))
  }
  return (
    <Select
      label="Fill in the servers of"
      options={options()}
      value={chosen()?.id ?? OTHER}
      onChange={choose}
    />
  )
}

function ServerRow(props: ServerFieldsProps & { side: 'imap' | 'smtp'; title: string }) {
  const example = () => `${props.side}.example.com`
  return (
    <fieldset class="server-fields-row">
      <legend>{props.title}</legend>
      <TextField
        label="Server"
        placeholder={example()}
        value={props.values[`${props.side}Host`]}
        onInput={(host) => props.onChange({ [`${props.side}Host`]: host })}
        error={fieldError(props.error, `${props.side}/host`)}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
      <TextField
        label="Port"
        inputmode="numeric"
        value={props.values[`${props.side}Port`]}
        onInput={(port) => props.onChange({ [`${props.side}Port`]: port })}
        error={fieldError(props.error, `${props.side}/port`)}
        autocomplete="off"
      />
      <Select
        label="Encryption"
        options={SECURITIES}
        value={props.values[`${props.side}Security`]}
        onChange={(security) => props.onChange({ [`${props.side}Security`]: security })}
      />
    </fieldset>
  )
}

function SmtpSignInFields(props: ServerFieldsProps) {
  return (
    <>
      <Select
        label="Sign-in for sending"
        options={SMTP_SIGN_INS.filter(({ value }) => value !== 'same' || !props.hasSmtpPassword)}
        value={props.values.smtpSignIn}
        onChange={(smtpSignIn) => props.onChange({ smtpSignIn })}
      />
      <Show when={props.values.smtpSignIn === 'own'}>
        <div class="form-columns">
          <TextField
            label="User name for sending"
            aside="optional"
            hint="Default: same as for receiving."
            value={props.values.smtpUser}
            onInput={(smtpUser) => props.onChange({ smtpUser })}
            error={fieldError(props.error, 'smtp/user')}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
          />
          <PasswordField
            label="Password for sending"
            name="smtp-password"
            autocomplete="new-password"
            hint={
              props.hasSmtpPassword
                ? 'Leave empty to keep the stored one.'
                : 'Default: same as for receiving.'
            }
            isOptional
            value={props.values.smtpPassword}
            onInput={(smtpPassword) => props.onChange({ smtpPassword })}
            error={fieldError(props.error, 'smtp/password')}
          />
        </div>
      </Show>
    </>
  )
}
