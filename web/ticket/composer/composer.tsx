import { createSignal, onCleanup, Show } from 'solid-js'
import { Button } from '../../ui/button.tsx'
import './composer.css'
import { focusPane } from '../focus-in-pane.ts'
import { ReplyingNow } from '../header/presence-line.tsx'
import type { Ticket } from '../ticket-query.ts'
import { ComposerField } from './composer-field.tsx'
import { useComposerKeys } from './composer-keys.ts'
import type { Composing } from './composer-state.ts'
import { destinationOf } from './destination.ts'
import type { Drafts } from './drafts.ts'
import { OtherDraft } from './other-draft.tsx'
import { ReplyGuard } from './reply-guard.tsx'
import { WriteKind } from './reply-or-note.tsx'
import { SavedReplyPicker } from './saved-reply-picker.tsx'
import { SendButton } from './send-button.tsx'
import { SEND_CHOICES, type SendChoice, sendChoice } from './send-choice.ts'

/** Longer ones would fill the empty field. */
const LONGEST_NAME = 32

interface ComposerProps {
  ticket: Ticket
  drafts: Drafts
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
  const draft = () => props.drafts.shown()
  const isNote = () => props.drafts.kind() === 'note'

  function send(choice: SendChoice) {
    void props.composing.submit(choice)
    field?.focus()
  }

  function insert(text: string) {
    if (!field) return
    field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end')
    draft().write(field.value)
  }

  function closePicker(isOpen: boolean) {
    setPicking(isOpen)
    if (isOpen) return
    if (isSlashOwed) insert('/')
    isSlashOwed = false
    // At once: the next key stroke is meant for the text.
    field?.focus()
  }

  useComposerKeys({
    isNote,
    hasFocus,
    onSend: () => send(sendChoice()),
    onSendAndNext() {
      const resolve = SEND_CHOICES.find(({ id }) => id === 'resolve') ?? SEND_CHOICES[0]
      void props.composing.submitAndLeave(resolve, props.onNext)
    },
    onLeave: () => focusPane(field),
  })

  onCleanup(() => draft().flush())

  return (
    <section
      class="composer"
      data-kind={props.drafts.kind()}
      aria-label={isNote() ? 'Internal note' : 'Reply'}
    >
      <Show when={props.composing.isAsking()}>
        <ReplyGuard
          message={props.composing.answer()}
          onSendAnyway={() => {
            void props.composing.sendAnyway(sendChoice())
            field?.focus()
          }}
          onEdit={props.composing.edit}
          onDiscard={props.composing.discard}
        />
      </Show>
      <OtherDraft draft={draft()} />
      <div class="composer-head">
        <WriteKind
          drafts={props.drafts}
          onChange={(kind) => {
            props.drafts.show(kind)
            field?.focus()
          }}
        />
        <p class="composer-to">{isNote() ? 'Only your team sees it' : destinationOf(props.ticket)}</p>
        <ReplyingNow ticketId={props.ticket.id} />
        <Show when={draft().isWaiting()}>
          <p class="composer-state" role="status">
            Kept in this browser until the server is back
          </p>
        </Show>
      </div>
      <ComposerField
        label={isNote() ? 'Internal note' : `Reply to ${props.ticket.customer.name}`}
        placeholder={isNote() ? 'Write to your team…' : `Reply to ${short(props.ticket.customer.name)}…`}
        text={draft().text()}
        ref={(element) => {
          field = element
          props.field(element)
        }}
        onWrite={(text) => {
          draft().write(text)
          props.onWrite()
        }}
        onSlash={() => {
          isSlashOwed = true
          setPicking(true)
        }}
        onFocus={() => setFocus(true)}
        onBlur={() => {
          setFocus(false)
          draft().flush()
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
        <Show when={isNote()} fallback={<SendButton isDisabled={!props.composing.isReady()} onSend={send} />}>
          <Button
            class="note-button"
            keys="mod+enter"
            disabled={!props.composing.isReady()}
            onClick={() => send(sendChoice())}
          >
            Add note
          </Button>
        </Show>
      </div>
    </section>
  )
}

function short(name: string): string {
  return name.length > LONGEST_NAME ? name.slice(0, LONGEST_NAME) : name
}
