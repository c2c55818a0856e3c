import { createEffect, createSignal, on, onCleanup, onMount, Show } from 'solid-js'
import { useKeys } from '../keys/keys.ts'
import { Button } from '../ui/button.tsx'
import './composer.css'
import type { Composing } from './composing.ts'
import { destinationOf } from './destination.ts'
import type { DraftKeeper } from './draft.ts'
import { OtherDraft } from './other-draft.tsx'
import { ReplyingNow } from './presence-line.tsx'
import { ReplyGuard } from './reply-guard.tsx'
import { SavedReplyPicker } from './saved-reply-picker.tsx'
import { SendButton } from './send-button.tsx'
import { SEND_CHOICES, type SendChoice, sendChoice } from './send-choice.ts'
import type { Ticket } from './ticket-data.ts'
import { undoLast } from './undo.ts'
import { WriteKind } from './write-kind.tsx'

const LONGEST_TEXT = 65_536

interface ComposerProps {
  ticket: Ticket
  draft: DraftKeeper
  composing: Composing
  onNext: () => void
  /** Something was typed. */
  onWrite: () => void
  /** Takes the field, to put the cursor there. */
  field: (field: HTMLTextAreaElement) => void
}

/** Where a reply or a note is written. In note mode all of it is amber. */
export function Composer(props: ComposerProps) {
  let field: HTMLTextAreaElement | undefined
  const [hasFocus, setFocus] = createSignal(false)
  const [isPicking, setPicking] = createSignal(false)
  /** A `/` that was typed to open the saved replies becomes a letter again when none is picked. */
  let isSlashOwed = false
  const isNote = () => props.draft.kind() === 'note'
  const isBlank = () => props.draft.text().trim() === ''

  function send(choice: SendChoice) {
    void props.composing.submit(choice)
    field?.focus()
  }

  function sendAndNext() {
    const resolve = SEND_CHOICES.find(({ id }) => id === 'resolve') ?? SEND_CHOICES[0]
    void props.composing.submitAndLeave(resolve, props.onNext)
  }

  function insert(text: string) {
    if (!field) return
    field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end')
    props.draft.write(field.value)
  }

  function closePicker(isOpen: boolean) {
    setPicking(isOpen)
    if (isOpen) return
    if (isSlashOwed) insert('/')
    isSlashOwed = false
    // Behind the popover, which gives the focus back to the button that opens it.
    requestAnimationFrame(() => requestAnimationFrame(() => field?.focus()))
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.isComposing) return
    if (event.key === '/' && isAtLineStart(event.currentTarget)) {
      event.preventDefault()
      isSlashOwed = true
      setPicking(true)
    } else if (event.key === 'z' && (event.ctrlKey || event.metaKey) && isBlank() && !event.shiftKey) {
      // Nothing here to undo by the browser: the last thing that was done is meant, such as sending.
      event.preventDefault()
      void undoLast()
    }
  }

  useKeys(() => [
    {
      id: 'ticket.send',
      label: isNote() ? 'Add the note' : sendChoice().label,
      section: 'Ticket',
      keys: ['mod+enter'],
      isForFields: true,
      isEnabled: hasFocus,
      run: () => send(sendChoice()),
    },
    {
      id: 'ticket.send-next',
      label: isNote() ? 'Add the note and open the next ticket' : 'Send, resolve, open the next ticket',
      section: 'Ticket',
      keys: ['mod+shift+enter'],
      isForFields: true,
      isEnabled: hasFocus,
      run: sendAndNext,
    },
    {
      id: 'ticket.leave-field',
      label: 'Leave the field, keep the draft',
      section: 'Ticket',
      keys: ['escape'],
      isForFields: true,
      isKeyOnly: true,
      isEnabled: hasFocus,
      run: () => field?.blur(),
    },
  ])

  createEffect(on(props.draft.text, () => field && fit(field)))
  onMount(() => field && fit(field))
  onCleanup(() => props.draft.flush())

  return (
    <section
      class="composer"
      data-kind={props.draft.kind()}
      aria-label={isNote() ? 'Internal note' : 'Reply'}
    >
      <Show when={props.composing.isAsking()}>
        <ReplyGuard
          message={props.composing.answer()}
          onSendAnyway={() => void props.composing.sendAnyway(sendChoice())}
          onEdit={props.composing.edit}
          onDiscard={props.composing.discard}
        />
      </Show>
      <OtherDraft draft={props.draft} />
      <div class="composer-head">
        <WriteKind
          kind={props.draft.kind()}
          onChange={(kind) => {
            props.draft.setKind(kind)
            field?.focus()
          }}
        />
        <p class="composer-to">{isNote() ? 'Only your team sees it' : destinationOf(props.ticket)}</p>
        <ReplyingNow ticketId={props.ticket.id} />
        <Show when={props.draft.isWaiting()}>
          <p class="composer-state" role="status">
            Kept in this browser until the server is back
          </p>
        </Show>
      </div>
      <textarea
        class="composer-field"
        aria-label={isNote() ? 'Internal note' : `Reply to ${props.ticket.customer.name}`}
        placeholder={isNote() ? 'Write to your team…' : `Reply to ${props.ticket.customer.name}…`}
        rows={2}
        maxLength={LONGEST_TEXT}
        value={props.draft.text()}
        ref={(element) => {
          field = element
          props.field(element)
        }}
        onInput={(event) => {
          props.draft.write(event.currentTarget.value)
          props.onWrite()
        }}
        onKeyDown={onKeyDown}
        onFocus={() => setFocus(true)}
        onBlur={() => {
          setFocus(false)
          props.draft.flush()
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
        <Show when={isNote()} fallback={<SendButton isDisabled={isBlank()} onSend={send} />}>
          <Button
            class="note-button"
            keys="mod+enter"
            disabled={isBlank()}
            onClick={() => send(sendChoice())}
          >
            Add note
          </Button>
        </Show>
      </div>
    </section>
  )
}

function isAtLineStart(field: EventTarget | null): boolean {
  if (!(field instanceof HTMLTextAreaElement) || field.selectionStart !== field.selectionEnd) return false
  return field.selectionStart === 0 || field.value[field.selectionStart - 1] === '\n'
}

/** As high as its text; the style sheet says how high at most. */
function fit(field: HTMLTextAreaElement): void {
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
}
