import { createSignal, type JSX, lazy, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { insertText } from '../../formatting/apply-edit.ts'
import { FormatPreview } from '../../formatting/format-preview.tsx'
import { isComposing } from '../../ui/ime.ts'
import { AttachButton } from '../attachments/attach-button.tsx'
import { DraftFiles } from '../attachments/attachments.tsx'
import { TextPicture } from '../attachments/text-picture.tsx'
import { createFieldHeight } from '../composer/composer-field.tsx'
import { SavedReplyPicker } from '../composer/saved-reply-picker.tsx'
import type { FilledTicket } from '../composer/variables.ts'
import type { MailFiles } from './mail-files.ts'
import './mail-form.css'

/** If that fails, the field still works. */
const FormatToolbar = lazy(() =>
  import('../../formatting/format-toolbar.tsx').then(
    ({ FormatToolbar }) => ({ default: FormatToolbar }),
    () => ({ default: () => null }),
  ),
)

/** The limit of the API: `MAX_MESSAGE_LENGTH` in server/tickets/messages.ts. */
const MAX_LENGTH = 65_536

interface MailTextProps {
  label: string
  placeholder: string
  text: string
  onWrite: (text: string) => void
  /** What the variables of saved replies are filled in from. */
  ticket: FilledTicket
  files: MailFiles
  /** At the end of the line below. */
  children?: JSX.Element
  field?: (field: HTMLTextAreaElement) => void
}

/** Where the text of an email is written, with its toolbar and saved replies. */
export function MailText(props: MailTextProps) {
  const session = useSession()
  const [field, setField] = createSignal<HTMLTextAreaElement>()
  const [isPicking, setPicking] = createSignal(false)
  const keepHeight = createFieldHeight(() => props.text)
  /** A `/` that opened the saved replies becomes a letter again when none is picked. */
  let isSlashOwed = false

  function insert(text: string): void {
    const element = field()
    if (element) insertText(element, text)
  }

  function closePicker(isOpen: boolean): void {
    setPicking(isOpen)
    if (isOpen) return
    if (isSlashOwed) insert('/')
    isSlashOwed = false
    field()?.focus()
  }

  return (
    <div class="mail-text">
      <textarea
        dir="auto"
        class="mail-text-field"
        aria-label={props.label}
        placeholder={props.placeholder}
        rows={6}
        maxLength={MAX_LENGTH}
        value={props.text}
        ref={(element) => {
          setField(element)
          keepHeight(element)
          props.field?.(element)
        }}
        onInput={(event) => props.onWrite(event.currentTarget.value)}
        onKeyDown={(event) => {
          const { selectionStart: at, selectionEnd, value } = event.currentTarget
          const isLineStart = at === selectionEnd && (at === 0 || value[at - 1] === '\n')
          if (event.key !== '/' || !isLineStart || isComposing(event)) return
          event.preventDefault()
          isSlashOwed = true
          setPicking(true)
        }}
      />
      <FormatPreview
        text={props.text}
        field={field}
        renderImage={(image) => (
          <TextPicture name={image.name} alt={image.alt} attachments={props.files.state().attachments} />
        )}
      />
      <Show when={props.files.state().attachments.length > 0 || props.files.uploads()?.uploads().length}>
        <DraftFiles
          draft={props.files}
          most={session().limits.attachmentsPerMessage}
          isInDialog
          onLeave={() => field()?.focus()}
        />
      </Show>
      <div class="mail-text-foot">
        <SavedReplyPicker
          ticket={props.ticket}
          isOpen={isPicking()}
          onOpenChange={closePicker}
          onInsert={(text) => {
            isSlashOwed = false
            insert(text)
          }}
        />
        <AttachButton onFiles={props.files.add} isInDialog />
        <FormatToolbar field={field} hasPreview />
        {props.children}
      </div>
    </div>
  )
}
