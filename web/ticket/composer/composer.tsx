import { createEffect, createSignal, Match, onCleanup, Show, Switch } from 'solid-js'
import type { WritingField } from '../../formatting/writing-field.ts'
import { keyComboOf } from '../../keyboard/key-combo.ts'
import { lazyPart } from '../../live/lazy-page.tsx'
import { Button } from '../../ui/button.tsx'
import { toastError } from '../../ui/toaster.tsx'
import { undoLast } from '../changes/undo.ts'
import { type DraftKind, isUnsaved } from '../draft/draft-storage.ts'
import { focusPane } from '../focus-in-pane.ts'
import { ReplyingNow } from '../header/presence-line.tsx'
import { isSameAddress, nameOf } from '../mail/mail-addresses.ts'
import { recipientsFault, UNFINISHED } from '../recipients/address-list.ts'
import { ThreadParts } from '../thread/thread-parts.tsx'
import type { TicketDetail } from '../ticket-query.ts'
import type { ComposerState } from './composer-state.ts'
import { Destination } from './destination.tsx'
import { ReplyOrNote } from './reply-or-note.tsx'
import { SEND_CHOICES, SendButton, type SendChoice, sendChoice } from './send-button.tsx'
import { WritingArea } from './writing-area.tsx'
import './composer.css'
import { actionsIn, useKeys } from '../../keyboard/keys.ts'

/** Loaded when it is opened. */
const ReplyRecipients = lazyPart(
  async () => (await import('./reply-recipients.tsx')).ReplyRecipients,
  () => <p role="alert">Couldn't load the recipients. Reload the page.</p>,
)

/** Loaded with the first saved reply that does something, or the first reply with a time. */
const DraftActions = lazyPart(async () => (await import('./draft-actions.tsx')).DraftActions)

/** A longer name would fill the empty field. */
const MAX_NAME_LENGTH = 32

interface ComposerProps {
  detail: TicketDetail
  composer: ComposerState
  onNext: () => void
  /** Something was typed. */
  onWrite: () => void
  /** Files were chosen. */
  onFiles: (files: File[]) => void
  /** Receives the field, to put the cursor into it. */
  field: (field: WritingField) => void
}

/** Where a reply or a note is written. A note turns it amber. */
export function Composer(props: ComposerProps) {
  let field: WritingField | undefined
  const [hasFocus, setFocus] = createSignal(false)
  const ticket = () => props.detail.ticket
  /** Whether the fields of the recipients are open, and one of them has text that is no address. */
  const [isAddressing, setAddressing] = createSignal(false)
  const [isUnfinished, setUnfinished] = createSignal(false)
  const [isJustSent, setJustSent] = createNextKeyFlag()
  const draft = () => props.composer.shown()
  const isNote = () => props.composer.kind() === 'note'
  /** Who reads the reply first: not always the customer, when others write too. */
  const addressee = () => {
    const { customer } = ticket()
    const [first] = props.composer.recipients()?.to ?? []
    return first && !isSameAddress(first.address, customer.email) ? nameOf(first) : customer.name
  }

  /** The next key is for the ticket, such as `e` or `j`. */
  function send(choice: SendChoice, at?: Date) {
    const fault = draft().uploads()?.fault()
    if (fault !== undefined) toastError(fault)
    if (!props.composer.canSend() || !hasRecipients()) return
    props.composer.send(choice, at)
    setAddressing(false)
    focusPane(field?.element)
    setJustSent(true)
  }

  const sendAsChosen = () => send(sendChoice())

  /** Otherwise says why not, and opens the fields. */
  function hasRecipients(): boolean {
    const recipients = isNote() ? undefined : props.composer.recipients()
    if (!recipients) return true
    const fault = isUnfinished() ? UNFINISHED : recipientsFault(recipients)
    if (!fault) return true
    toastError(fault)
    setAddressing(true)
    return false
  }

  useComposerKeys({
    isNote,
    hasFocus,
    onSend: sendAsChosen,
    onSendAndNext() {
      if (!props.composer.canSend() || !hasRecipients()) return
      send(SEND_CHOICES.find(({ id }) => id === 'resolve') ?? SEND_CHOICES[0])
      props.onNext()
    },
    // Right after Send, too: the agent may not have seen that the field was left.
    isLeavable: () => hasFocus() || isJustSent(),
    onLeave() {
      setJustSent(false)
      focusPane(field?.element)
    },
    canAddress: () => props.composer.recipients() !== undefined,
    onAddress() {
      props.composer.show('reply')
      setAddressing(true)
    },
  })

  onCleanup(() => draft().save())

  return (
    <section
      class="composer"
      data-kind={props.composer.kind()}
      aria-label={isNote() ? 'Internal note' : 'Reply'}
    >
      <ThreadParts.OtherDraft draft={draft()} />
      <ComposerHead
        detail={props.detail}
        composer={props.composer}
        isAddressing={isAddressing()}
        onAddress={() => {
          if (isAddressing()) field?.focus()
          setAddressing(!isAddressing())
        }}
        onSend={sendAsChosen}
        onKind={(kind) => {
          props.composer.show(kind)
          field?.focus()
        }}
      />
      <Show when={!isNote()}>
        <ThreadParts.ReplyProblem reply={props.detail.reply} />
        <ThreadParts.ReplyElsewhere detail={props.detail} recipients={props.composer.recipients()} />
      </Show>
      <Show when={isAddressing() && !isNote() && props.composer.recipients()}>
        {(recipients) => (
          <div onFocusIn={() => setFocus(true)} onFocusOut={() => setFocus(false)}>
            <ReplyRecipients
              detail={props.detail}
              recipients={recipients()}
              onChange={props.composer.changeRecipients}
              onUnfinished={setUnfinished}
              isChanged={draft().state().recipients !== undefined}
            />
          </div>
        )}
      </Show>
      <WritingArea
        label={isNote() ? 'Internal note' : `Reply to ${addressee()}`}
        placeholder={isNote() ? 'Write to your team…' : `Reply to ${short(addressee())}…`}
        rows={2}
        text={draft().state().text}
        ticket={ticket()}
        draft={draft()}
        isInternal={isNote()}
        replyActions={
          isNote()
            ? undefined
            : { now: draft().state().actions, change: (actions) => draft().changeActions(actions) }
        }
        onFiles={props.onFiles}
        fieldClass="composer-field"
        field={(written) => {
          field = written
          props.field(written)
        }}
        onWrite={(text) => {
          draft().write(text)
          props.onWrite()
        }}
        onKeyDown={(event) => undoInEmptyField(event, draft().state().text)}
        onFocus={() => setFocus(true)}
        onBlur={() => {
          setFocus(false)
          draft().save()
        }}
      >
        <Show when={!isNote() && (draft().state().actions || draft().state().sendAt)}>
          <DraftActions
            actions={draft().state().actions}
            sendAt={draft().state().sendAt}
            onActions={(actions) => draft().changeActions(actions)}
            onSendAt={(sendAt) => draft().changeSendAt(sendAt)}
            onRemoved={() => field?.focus()}
          />
        </Show>
        <SendLine composer={props.composer} onSend={send} onCancel={() => field?.focus()} />
      </WritingArea>
    </section>
  )
}

interface ComposerHeadProps extends Pick<ComposerProps, 'detail' | 'composer'> {
  /** Whether the fields of the recipients are open. */
  isAddressing: boolean
  onAddress: () => void
  onSend: () => void
  onKind: (kind: DraftKind) => void
}

/** Whether it is a reply or a note, who gets it, and who else is replying. */
function ComposerHead(props: ComposerHeadProps) {
  const state = () => props.composer.shown().state()
  return (
    <div class="composer-head">
      <ReplyOrNote composer={props.composer} onChange={props.onKind} />
      <Show
        when={props.composer.kind() === 'note'}
        fallback={
          <Destination
            reply={props.detail.reply}
            recipients={props.composer.recipients()}
            isOpen={props.isAddressing}
            onToggle={props.onAddress}
            onSend={props.onSend}
          />
        }
      >
        <p class="composer-private">Only your team sees it</p>
      </Show>
      <ReplyingNow ticketId={props.detail.ticket.id} />
      <Show when={state().isSaveLate && isUnsaved(state())}>
        <p class="composer-saved" role="status">
          Saved in this browser
        </p>
      </Show>
    </div>
  )
}

interface SendLineProps {
  composer: ComposerState
  onSend: (choice: SendChoice, at?: Date) => void
  /** It isn't sent after the uploads anymore. */
  onCancel: () => void
}

/** The button that sends it. While files are uploaded that it waits for, a way to cancel. */
function SendLine(props: SendLineProps) {
  const isNote = () => props.composer.kind() === 'note'
  const isDisabled = () => !props.composer.canSend()
  const shown = () => props.composer.shown()
  return (
    <Switch fallback={<SendButton isDisabled={isDisabled()} onSend={props.onSend} />}>
      <Match when={shown().state().sendsAfterUploads}>
        <div class="composer-waiting" role="status">
          {isNote() ? 'Adds' : 'Sends'} {shown().uploads()?.isBusy() ? 'after upload' : 'in a moment'}
          <Button
            size="small"
            onClick={() => {
              shown().cancelSend()
              props.onCancel()
            }}
          >
            Cancel
          </Button>
        </div>
      </Match>
      <Match when={isNote()}>
        <Button
          class="composer-add-note"
          keys="mod+enter"
          disabled={isDisabled()}
          onClick={() => props.onSend(sendChoice())}
        >
          Add note
        </Button>
      </Match>
    </Switch>
  )
}

/** Undoes the last action, such as sending. */
function undoInEmptyField(event: KeyboardEvent, text: string): void {
  if (keyComboOf(event) !== 'mod+z' || text.trim() !== '') return
  event.preventDefault()
  void undoLast()
}

function short(name: string): string {
  return name.slice(0, MAX_NAME_LENGTH)
}

/** A flag that holds until the next key or click. */
function createNextKeyFlag() {
  const [isSet, set] = createSignal(false)
  createEffect(() => {
    if (!isSet()) return
    const end = () => set(false)
    // The key that set it is still on its way.
    const timer = setTimeout(() => {
      window.addEventListener('keydown', end)
      window.addEventListener('pointerdown', end)
    })
    onCleanup(() => {
      clearTimeout(timer)
      window.removeEventListener('keydown', end)
      window.removeEventListener('pointerdown', end)
    })
  })
  return [isSet, set] as const
}

interface ComposerKeysInput {
  isNote: () => boolean
  hasFocus: () => boolean
  onSend: () => void
  onSendAndNext: () => void
  isLeavable: () => boolean
  onLeave: () => void
  /** Whether the reply leaves by email. */
  canAddress: () => boolean
  onAddress: () => void
}

/** The keys that work in the field. */
function useComposerKeys({
  isNote,
  hasFocus,
  onSend,
  onSendAndNext,
  isLeavable,
  onLeave,
  canAddress,
  onAddress,
}: ComposerKeysInput): void {
  const inField = { isForFields: true, isEnabled: hasFocus }
  useKeys(() =>
    actionsIn('Reply', [
      {
        id: 'ticket.send',
        label: isNote() ? 'Add note' : sendChoice().label,
        keys: ['mod+enter'],
        run: onSend,
        ...inField,
      },
      {
        id: 'ticket.send-next',
        label: isNote() ? 'Add note and next' : 'Send, resolve and next',
        keys: ['mod+shift+enter'],
        run: onSendAndNext,
        ...inField,
      },
      {
        id: 'ticket.leave-field',
        label: 'Close reply (draft is kept)',
        keys: ['escape'],
        run: onLeave,
        isKeyOnly: true,
        ...inField,
        isEnabled: isLeavable,
      },
      {
        id: 'ticket.address',
        label: 'Recipients: To, Cc, Bcc…',
        keys: [],
        isEnabled: canAddress,
        run: onAddress,
      },
    ]),
  )
}
