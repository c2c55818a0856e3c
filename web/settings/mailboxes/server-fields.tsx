import { Show } from 'solid-js'
import type { FormFields } from '../../forms/create-form.ts'
import { PasswordField } from '../../forms/password-field.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import type { MailProvider } from './mailbox-data.ts'
import { hasServersOf, type MailboxValues, type SmtpSignIn, serverValues } from './mailbox-values.ts'

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
  form: FormFields<MailboxValues>
  providers: readonly MailProvider[]
  /** SMTP has a stored password of its own. */
  hasSmtpPassword: boolean
}

/** The servers that a mailbox receives and sends with. */
export function ServerFields(props: ServerFieldsProps) {
  return (
    <>
      <ProviderSelect {...props} />
      <ServerRow form={props.form} side="imap" title="Receive (IMAP)" />
      <TextField
        {...props.form.text('user', 'imap/user')}
        label="User name"
        aside="optional"
        hint="Default: the email address."
        isVerbatim
      />
      <ServerRow form={props.form} side="smtp" title="Send (SMTP)" />
      <Select
        {...props.form.choice('smtpSignIn')}
        label="Sign-in for sending"
        options={SMTP_SIGN_INS.filter(({ value }) => value !== 'same' || !props.hasSmtpPassword)}
      />
      <Show when={props.form.values.smtpSignIn === 'own'}>
        <div class="form-columns">
          <TextField
            {...props.form.text('smtpUser', 'smtp/user')}
            label="User name for sending"
            aside="optional"
            hint="Default: same as for receiving."
            isVerbatim
          />
          <PasswordField
            {...props.form.text('smtpPassword', 'smtp/password')}
            label="Password for sending"
            name="smtp-password"
            autocomplete="new-password"
            hint={
              props.hasSmtpPassword
                ? 'Leave empty to keep the stored one.'
                : 'Default: same as for receiving.'
            }
            isOptional
          />
        </div>
      </Show>
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
  const chosen = () => props.providers.find((provider) => hasServersOf(props.form.values, provider))
  function choose(id: string) {
    const provider = props.providers.find((one) => one.id === id)
    if (provider) props.form.set(serverValues(provider))
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

function ServerRow(props: { form: FormFields<MailboxValues>; side: 'imap' | 'smtp'; title: string }) {
  return (
    <fieldset class="server-fields-row">
      <legend>{props.title}</legend>
      <TextField
        {...props.form.text(`${props.side}Host`, `${props.side}/host`)}
        label="Server"
        placeholder={`${props.side}.example.com`}
        isVerbatim
      />
      <TextField
        {...props.form.text(`${props.side}Port`, `${props.side}/port`)}
        label="Port"
        inputmode="numeric"
        autocomplete="off"
      />
      <Select
        {...props.form.choice(`${props.side}Security`, `${props.side}/security`)}
        label="Encryption"
        options={SECURITIES}
      />
    </fieldset>
  )
}
