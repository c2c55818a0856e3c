import ChevronsUpDown from 'lucide-solid/icons/chevrons-up-down'
import { Show } from 'solid-js'
import { MarkdownArea } from '../../formatting/markdown-area.tsx'
import type { FormFields } from '../../forms/create-form.ts'
import { Button } from '../../ui/button.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { Field, type FieldProps } from '../../ui/field.tsx'
import { Picker } from '../../ui/picker.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { AssigneeSelect } from '../assignee-select.tsx'
import type { MailboxValues } from './mailbox-values.ts'

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
