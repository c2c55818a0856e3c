import ChevronsUpDown from 'lucide-solid/icons/chevrons-up-down'
import { Show } from 'solid-js'
import { MarkdownArea } from '../../formatting/markdown-area.tsx'
import type { FormFields } from '../../forms/create-form.ts'
import { PasswordField } from '../../forms/password-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { Field, type FieldProps } from '../../ui/field.tsx'
import { Picker } from '../../ui/picker.tsx'
import { Select } from '../../ui/select.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { AssigneeSelect } from '../assignee-select.tsx'
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

interface OptionFieldsProps {
  form: FormFields<MailboxValues>
  /** Folders on the server, as far as they are known. */
  folders: readonly string[]
  isNew: boolean
}

/** What happens with the mail of a mailbox. */
export function OptionFields(props: OptionFieldsProps) {
  const foldersError = props.form.errorAt('folders')
  const sentFolder = props.form.text('sentFolder')
  return (
    <>
      <FolderPicker
        label="Folders to read"
        hint={
          <>
            Bellhop reads them without changing anything.{' '}
            <DocsLink to="/docs/email#folders">Which folders</DocsLink>
          </>
        }
        none="Choose folders"
        chosen={props.form.values.folders}
        onChange={(folders) => props.form.set({ folders })}
        known={props.folders}
        isMultiple
        error={foldersError()}
      />
      <Show when={props.isNew}>
        <TextField
          {...props.form.text('importSince')}
          label="Also import mail since"
          aside="optional"
          type="date"
          hint="Leave empty to import only new mail. Older mail opens tickets too."
        />
      </Show>
      <FolderPicker
        label="Folder for copies of sent mail"
        aside="optional"
        hint="Gmail and Microsoft 365 keep a copy without it."
        none="No copies"
        chosen={sentFolder.value === '' ? [] : [sentFolder.value]}
        onChange={([folder = '']) => sentFolder.onInput(folder)}
        known={props.folders}
        error={sentFolder.error}
      />
      <AssigneeSelect {...props.form.choice('defaultAssignee')} />
      <MarkdownArea
        {...props.form.text('signature')}
        label="Signature"
        hint="Added to replies from this mailbox. Default: the organization's signature."
      />
      <MarkdownArea
        {...props.form.text('autoReply')}
        label="Automatic reply"
        hint="Sent once to anyone who opens a ticket by email. Leave empty for none."
      />
      <Checkbox
        {...props.form.check('hasSubjectTokens')}
        label="Add a token to subjects"
        hint="Such as [#x3k9ad-7h2m…]. Only needed if your mail server removes the headers that identify answers."
      />
      <TextField
        {...props.form.text('authservId')}
        label="Server that checks senders"
        aside="optional"
        hint={
          <>
            Its name in Authentication-Results. The connection test finds it.{' '}
            <DocsLink to="/docs/email#forged-senders">Forged senders</DocsLink>
          </>
        }
        placeholder="mx.example.com"
        isVerbatim
      />
    </>
  )
}

interface FolderPickerProps extends FieldProps {
  chosen: readonly string[]
  onChange: (folders: string[]) => void
  /** Folders that are on the server. Others can be typed. */
  known: readonly string[]
  /** Shown while nothing is chosen. */
  none: string
  isMultiple?: boolean
}

/** Chooses folders of the mailbox by name. */
function FolderPicker(props: FolderPickerProps) {
  const names = () => [...new Set([...props.known, ...props.chosen])]
  const text = () => props.chosen.join(', ') || props.none
  function pick(name: string) {
    const others = props.chosen.filter((one) => one !== name)
    const isChosen = others.length < props.chosen.length
    if (isChosen) props.onChange(others)
    else props.onChange(props.isMultiple ? [...others, name] : [name])
  }
  return (
    <Field label={props.label} hint={props.hint} aside={props.aside} error={props.error}>
      {(ids) => (
        <Picker
          label={props.label}
          options={names().map((name) => ({ value: name, label: name }))}
          selected={props.chosen}
          onPick={pick}
          onCreate={pick}
          isMultiple={props.isMultiple ?? false}
          trigger={(trigger) => (
            <Button
              {...trigger}
              {...ids}
              class="option-fields-folders"
              aria-label={`${props.label}: ${text()}`}
            >
              <span>{text()}</span>
              <ChevronsUpDown />
            </Button>
          )}
        />
      )}
    </Field>
  )
}
