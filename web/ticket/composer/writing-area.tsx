import { createSignal, type JSX, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { FormattedField } from '../../formatting/formatted-field.tsx'
import type { WritingField } from '../../formatting/writing-field.ts'
import { lazyPart } from '../../live/lazy-page.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { isComposing } from '../../ui/ime.ts'
import { DraftFiles } from '../attachments/attachments.tsx'
import type { FilesDraft } from '../attachments/draft-files.tsx'
import { TextPicture } from '../thread/message-text.tsx'
import type { ReplyActions } from './apply-saved-reply.ts'
import { SavedReplyPicker } from './saved-reply-picker.tsx'
import type { FilledTicket } from './variables.ts'
import './writing-area.css'

import TypeIcon from 'lucide-solid/icons/a-large-small'
import Paperclip from 'lucide-solid/icons/paperclip'
import { useKeys } from '../../keyboard/keys.ts'

/** The limit of the API: `MAX_MESSAGE_LENGTH` in server/tickets/messages.ts. */
const MAX_TEXT_LENGTH = 65_536

/** If it can't be loaded, the field still works. */
const FormatToolbar = lazyPart(
  async () => (await import('../../formatting/format-toolbar.tsx')).FormatToolbar,
)

/** Without it, the field still works. */
const MentionPicker = lazyPart(async () => (await import('./mention-picker.tsx')).MentionPicker)

interface WritingAreaProps {
  label: string
  placeholder: string
  rows: number
  text: string
  onWrite: (text: string) => void
  /** What the variables of saved replies are filled in from. */
  ticket: FilledTicket
  draft: FilesDraft
  /** What saved replies do when the reply is sent. Absent for a text that isn't a reply to a ticket. */
  replyActions?: ReplyActions | undefined
  /** Files were chosen. */
  onFiles: (files: File[]) => void
  isInDialog?: boolean
  /** Only agents read it, so an `@` mentions a colleague. */
  isInternal?: boolean
  /** At the end of the line below the text. */
  children?: JSX.Element
  fieldClass?: string
  onKeyDown?: (event: KeyboardEvent) => void
  onFocus?: () => void
  onBlur?: () => void
  /** Receives the field, to put the cursor into it, and another one when the editor replaces the plain one. */
  field: (field: WritingField) => void
}

/** Where a message is written: its text, its files, and the tools below. A `/` at the start of a line opens the saved replies, and in a note an `@` the colleagues. */
export function WritingArea(props: WritingAreaProps) {
  const session = useSession()
  const [field, setField] = createSignal<WritingField>()
  const [isPicking, setPicking] = createSignal(false)
  /** Whether the toolbar is shown where there is too little space for it beside the buttons. */
  const [isFormatting, setFormatting] = createSignal(false)
  const [isMentioning, setMentioning] = createSignal(false)
  /** The letter that opened a picker: it is typed when nothing is picked. */
  let owed = ''

  function closePicker(setOpen: (isOpen: boolean) => void, isOpen: boolean): void {
    setOpen(isOpen)
    if (isOpen) return
    if (owed) field()?.insertText(owed)
    owed = ''
    // At once: the next key is for the text.
    field()?.focus()
  }

  function insertPicked(text: string): void {
    owed = ''
    field()?.insert(text)
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event)) return
    if (event.key === '/' && field()?.isAtLineStart()) {
      event.preventDefault()
      owed = '/'
      setPicking(true)
    } else if (event.key === '@' && props.isInternal && field()?.isAtWordStart()) {
      event.preventDefault()
      owed = '@'
      setMentioning(true)
    } else props.onKeyDown?.(event)
  }

  return (
    <div class="writing-area">
      <FormattedField
        class={`writing-area-field ringless ${props.fieldClass ?? ''}`}
        label={props.label}
        placeholder={props.placeholder}
        rows={props.rows}
        maxLength={MAX_TEXT_LENGTH}
        value={props.text}
        field={(written) => {
          setField(written)
          props.field(written)
        }}
        onInput={props.onWrite}
        onKeyDown={onKeyDown}
        onFocus={props.onFocus}
        onBlur={props.onBlur}
        renderImage={(image) => (
          <TextPicture name={image.name} alt={image.alt} attachments={props.draft.state().attachments} />
        )}
      />
      <Show when={props.draft.state().attachments.length > 0 || props.draft.uploads()?.uploads().length}>
        <DraftFiles
          draft={props.draft}
          most={session().limits.attachmentsPerMessage}
          isInDialog={props.isInDialog}
          onLeave={() => field()?.focus()}
        />
      </Show>
      <div class="writing-area-foot" data-formatting={isFormatting() || undefined}>
        <SavedReplyPicker
          ticket={props.ticket}
          isOpen={isPicking()}
          onOpenChange={(isOpen) => closePicker(setPicking, isOpen)}
          onInsert={(text, reply) => {
            insertPicked(text)
            const { ticket, draft, replyActions } = props
            void import('./apply-saved-reply.ts').then(({ applySavedReply }) =>
              applySavedReply(reply, {
                ticketId: ticket.id,
                attach: (file) => draft.attach(file),
                actions: replyActions,
              }),
            )
          }}
        />
        <Show when={props.isInternal}>
          <MentionPicker
            isOpen={isMentioning()}
            onOpenChange={(isOpen) => closePicker(setMentioning, isOpen)}
            onInsert={(mention) => {
              insertPicked(mention)
              field()?.insertText(' ')
            }}
          />
        </Show>
        <AttachButton onFiles={props.onFiles} isInDialog={props.isInDialog} />
        <IconButton
          name="Formatting"
          size="small"
          class="writing-area-formatting"
          aria-expanded={isFormatting()}
          onClick={() => {
            setFormatting(!isFormatting())
            field()?.focus()
          }}
        >
          <TypeIcon />
        </IconButton>
        <FormatToolbar field={field} />
        {props.children}
      </div>
    </div>
  )
}

const KEYS = 'mod+u'

interface AttachButtonProps {
  onFiles: (files: File[]) => void
  isInDialog?: boolean | undefined
}

/** Opens the browser's file picker, also by a key. */
function AttachButton(props: AttachButtonProps) {
  let picker: HTMLInputElement | undefined
  const open = () => picker?.click()
  useKeys(() => [
    {
      id: 'ticket.attach',
      label: 'Attach files',
      section: 'Reply',
      keys: [KEYS],
      isForFields: true,
      isForDialogs: props.isInDialog ?? false,
      run: open,
    },
  ])
  return (
    <>
      <input
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        ref={picker}
        onChange={({ currentTarget }) => {
          props.onFiles([...(currentTarget.files ?? [])])
          // Choosing the same file again is a change then.
          currentTarget.value = ''
        }}
      />
      <IconButton name="Attach files" keys={KEYS} size="small" onClick={open}>
        <Paperclip />
      </IconButton>
    </>
  )
}
