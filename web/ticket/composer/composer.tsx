import { createSignal, onCleanup, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import './composer.css'
import { toast } from '../../ui/toaster.tsx'
import { focusPane } from '../focus-in-pane.ts'
import { ReplyingNow } from '../header/presence-line.tsx'
import type { Ticket } from '../ticket-query.ts'
import { ComposerField } from './composer-field.tsx'
import { useComposerKeys } from './composer-keys.ts'
import type { ComposerState } from './composer-state.ts'
import { Destination } from './destination.tsx'
import { isUnsaved } from './draft-state.ts'
import { OtherDraft } from './other-draft.tsx'
import { ReplyOrNote } from './reply-or-note.tsx'
import { SavedReplyPicker } from './saved-reply-picker.tsx'
import { SendButton } from './send-button.tsx'
import { SEND_CHOICES, type SendChoice, sendChoice } from './send-choice.ts'

/** A longer name would fill the empty field. */
const LONGEST_NAME = 32

interface ComposerProps {
  ticket: Ticket
  composer: ComposerState
  onNext: () => void
  /** Something was typed. */
  onWrite: () => void
  /** Receives the field, to put the cursor into it. */
  field: (field: HTMLTextAreaElement) => void
}

/** Where a reply or a note is written. A note turns it amber. */
export function Composer(props: ComposerProps) {
  let field: HTMLTextAreaElement | undefined
  const [hasFocus, setFocus] = createSignal(false)
  const [isPicking, setPicking] = createSignal(false)
  /** A `/` that opened the saved replies becomes a letter again when none is picked. */
  let isSlashOwed = false
  const draft = () => props.composer.shown()
  const isNote = () => props.composer.kind() === 'note'
  const isSaveLate = () => draft().state().isSaveLate && isUnsaved(draft().state())

  function write(text: string) {
    draft().dispatch({ type: 'typed', text, now: Date.now() })
  }

  /** The next key is for the ticket, such as `e` or `j`. */
  function send(choice: SendChoice) {
    if (!props.composer.canSend()) return
    props.composer.send(choice)
    focusPane(field)
  }

  function insert(text: string) {
    if (!field) return
    field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end')
    write(field.value)
  }

  function closePicker(isOpen: boolean) {
    setPicking(isOpen)
    if (isOpen) return
    if (isSlashOwed) insert('/')
    isSlashOwed = false
    // At once: the next key is for the text.
    field?.focus()
  }

  useComposerKeys({
    isNote,
    hasFocus,
    onSend: () => send(sendChoice()),
    onSendAndNext() {
      if (!props.composer.canSend()) return
      send(SEND_CHOICES.find(({ id }) => id === 'resolve') ?? SEND_CHOICES[0])
      props.onNext()
    },
    onLeave: () => focusPane(field),
  })

  onCleanup(() => draft().dispatch({ type: 'save due' }))

  return (
    <section
      class="composer"
      data-kind={props.composer.kind()}
      aria-label={isNote() ? 'Internal note' : 'Reply'}
      onPaste={({ clipboardData }) => refuseFiles(clipboardData)}
      onDragOver={(event) => {
        // Without this, the browser opens the file instead of the page.
        if (event.dataTransfer?.types.includes('Files')) event.preventDefault()
      }}
      onDrop={(event) => {
        if (refuseFiles(event.dataTransfer)) event.preventDefault()
      }}
    >
      <OtherDraft draft={draft()} />
      <div class="composer-head">
        <ReplyOrNote
          composer={props.composer}
          onChange={(kind) => {
            props.composer.show(kind)
            field?.focus()
          }}
        />
        <p class="composer-destination">
          <Show when={isNote()} fallback={<Destination ticket={props.ticket} />}>
            Only your team sees it
          </Show>
        </p>
        <ReplyingNow ticketId={props.ticket.id} />
        <Show when={isSaveLate()}>
          <p class="composer-saved" role="status">
            Saved in this browser
          </p>
        </Show>
      </div>
      <ComposerField
        label={isNote() ? 'Internal note' : `Reply to ${props.ticket.customer.name}`}
        placeholder={isNote() ? 'Write to your team…' : `Reply to ${short(props.ticket.customer.name)}…`}
        text={draft().state().text}
        ref={(element) => {
          field = element
          props.field(element)
        }}
        onWrite={(text) => {
          write(text)
          props.onWrite()
        }}
        onSlash={() => {
          isSlashOwed = true
          setPicking(true)
        }}
        onFocus={() => setFocus(true)}
        onBlur={() => {
          setFocus(false)
          draft().dispatch({ type: 'save due' })
        }}
      />
      <div class="composer-foot">
        <SavedReplyPicker
          ticket={props.ticket}
          isOpen={isPicking()}
          onOpenChange={closePicker}
          onInsert={(text) => {
            isSlashOwed = false
            insert(text)
          }}
        />
        <Show when={isNote()} fallback={<SendButton isDisabled={!props.composer.canSend()} onSend={send} />}>
          <Button
            class="composer-add-note"
            keys="mod+enter"
            disabled={!props.composer.canSend()}
            onClick={() => send(sendChoice())}
          >
            Add note
          </Button>
        </Show>
      </div>
    </section>
  )
}

/** Pasted or dropped. Text that comes with a file is still pasted. */
function refuseFiles(data: DataTransfer | null): boolean {
  if (!data?.types.includes('Files')) return false
  toast("Files can't be attached yet")
  return true
}

function short(name: string): string {
  return name.length > LONGEST_NAME ? name.slice(0, LONGEST_NAME) : name
}
