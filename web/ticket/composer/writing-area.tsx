import { type Accessor, createEffect, createSignal, type JSX, on, onCleanup, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { insertText } from '../../formatting/apply-edit.ts'
import { FormatPreview } from '../../formatting/format-preview.tsx'
import { lazyPart } from '../../live/lazy-page.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { isComposing } from '../../ui/ime.ts'
import { DraftFiles } from '../attachments/attachments.tsx'
import type { FilesDraft } from '../attachments/draft-files.tsx'
import { TextPicture } from '../thread/message-text.tsx'
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

interface WritingAreaProps {
  label: string
  placeholder: string
  rows: number
  text: string
  onWrite: (text: string) => void
  /** What the variables of saved replies are filled in from. */
  ticket: FilledTicket
  draft: FilesDraft
  /** Files were chosen. */
  onFiles: (files: File[]) => void
  isInDialog?: boolean
  /** At the end of the line below the text. */
  children?: JSX.Element
  fieldClass?: string
  onKeyDown?: (event: KeyboardEvent) => void
  onFocus?: () => void
  onBlur?: () => void
  /** Receives the field, to put the cursor into it. */
  field: (field: HTMLTextAreaElement) => void
}

/** Where a message is written: its text, a preview, its files, and the tools below. A `/` at the start of a line opens the saved replies. */
export function WritingArea(props: WritingAreaProps) {
  const session = useSession()
  const [field, setField] = createSignal<HTMLTextAreaElement>()
  const [isPicking, setPicking] = createSignal(false)
  /** Whether the toolbar is shown where there is too little space for it beside the buttons. */
  const [isFormatting, setFormatting] = createSignal(false)
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
    // At once: the next key is for the text.
    field()?.focus()
  }

  function onKeyDown(event: KeyboardEvent): void {
    if (isComposing(event)) return
    if (event.key === '/' && isAtLineStart(field())) {
      event.preventDefault()
      isSlashOwed = true
      setPicking(true)
    } else props.onKeyDown?.(event)
  }

  return (
    <div class="writing-area">
      <textarea
        class={`writing-area-field ringless ${props.fieldClass ?? ''}`}
        dir="auto"
        aria-label={props.label}
        placeholder={props.placeholder}
        rows={props.rows}
        maxLength={MAX_TEXT_LENGTH}
        value={props.text}
        ref={(element) => {
          setField(element)
          keepHeight(element)
          props.field(element)
        }}
        onInput={(event) => props.onWrite(event.currentTarget.value)}
        onKeyDown={onKeyDown}
        onFocus={() => props.onFocus?.()}
        onBlur={() => props.onBlur?.()}
      />
      <FormatPreview
        text={props.text}
        field={field}
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
          onOpenChange={closePicker}
          onInsert={(text) => {
            isSlashOwed = false
            insert(text)
          }}
        />
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
        <FormatToolbar field={field} hasPreview />
        {props.children}
      </div>
    </div>
  )
}

function isAtLineStart(field: HTMLTextAreaElement | undefined): boolean {
  if (!field || field.selectionStart !== field.selectionEnd) return false
  return field.selectionStart === 0 || field.value[field.selectionStart - 1] === '\n'
}
/** Keeps a field as high as its text, up to the limit in the style sheet. Returns the function that receives the field. */
function createFieldHeight(text: Accessor<string>): (field: HTMLTextAreaElement) => void {
  let field: HTMLTextAreaElement | undefined
  // The keyboard of a phone leaves less space for the same text.
  const sizes = new ResizeObserver(() => field && showEnd(field))
  onCleanup(() => sizes.disconnect())
  createEffect(on(text, () => field && fit(field)))
  return (element) => {
    field = element
    sizes.observe(element)
  }
}

function fit(field: HTMLTextAreaElement): void {
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
  // Browsers scroll just far enough to show the cursor, and its height depends on the font.
  showEnd(field)
}

/** While the cursor is at the end. Browsers do not tell its place on the page anywhere else in the text. */
function showEnd(field: HTMLTextAreaElement): void {
  if (document.activeElement === field && field.selectionStart === field.value.length) {
    field.scrollTop = field.scrollHeight
  }
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
