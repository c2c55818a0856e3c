import { Show } from 'solid-js'
import { fieldError } from '../../api/api-problem.ts'
import { MarkdownArea } from '../../formatting/markdown-area.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { DocsLink } from '../../ui/docs-link.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { AssigneeSelect } from '../assignee-select.tsx'
import { FolderPicker } from './folder-picker.tsx'
import { faultOf, type MailboxValues } from './mailbox-values.ts'

interface OptionFieldsProps {
  values: MailboxValues
  onChange: (change: Partial<MailboxValues>) => void
  error: unknown
  /** Folders on the server, as far as they are known. */
  folders: readonly string[]
  isNew?: boolean
}

/** What happens with the mail of a mailbox. */
export function OptionFields(props: OptionFieldsProps) {
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
        chosen={props.values.folders}
        onChange={(folders) => props.onChange({ folders })}
        known={props.folders}
        isMultiple
        error={faultOf(props.error, 'folders')}
      />
      <Show when={props.isNew}>
        <TextField
          label="Also import mail since"
          aside="optional"
          type="date"
          hint="Leave empty to import only new mail. Older mail opens tickets too."
          value={props.values.importSince}
          onInput={(importSince) => props.onChange({ importSince })}
          error={fieldError(props.error, 'importSince')}
        />
      </Show>
      <FolderPicker
        label="Folder for copies of sent mail"
        aside="optional"
        hint="Gmail and Microsoft 365 keep a copy without it."
        none="No copies"
        chosen={props.values.sentFolder === '' ? [] : [props.values.sentFolder]}
        onChange={([sentFolder = '']) => props.onChange({ sentFolder })}
        known={props.folders}
        error={fieldError(props.error, 'sentFolder')}
      />
      <AssigneeSelect
        value={props.values.defaultAssignee}
        onChange={(defaultAssignee) => props.onChange({ defaultAssignee })}
        error={fieldError(props.error, 'defaultAssignee')}
      />
      <MarkdownArea
        label="Signature"
        hint="Added to replies from this mailbox. Default: the organization's signature."
        value={props.values.signature}
        onInput={(signature) => props.onChange({ signature })}
        error={fieldError(props.error, 'signature')}
      />
      <MarkdownArea
        label="Automatic reply"
        hint="Sent once to anyone who opens a ticket by email. Leave empty for none."
        value={props.values.autoReply}
        onInput={(autoReply) => props.onChange({ autoReply })}
        error={fieldError(props.error, 'autoReply')}
      />
      <Checkbox
        label="Add a token to subjects"
        hint="Such as [#x3k9ad-7h2m…]. Only needed if your mail server removes the headers that identify answers."
        isChecked={props.values.subjects === 'token'}
        onChange={(isOn) => props.onChange({ subjects: isOn ? 'token' : 'plain' })}
      />
      <TextField
        label="Server that checks senders"
        aside="optional"
        hint={
          <>
            Its name in Authentication-Results. The connection test finds it.{' '}
            <DocsLink to="/docs/email#forged-senders">Forged senders</DocsLink>
          </>
        }
        placeholder="mx.example.com"
        value={props.values.authservId}
        onInput={(authservId) => props.onChange({ authservId })}
        error={fieldError(props.error, 'authservId')}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
    </>
  )
}
