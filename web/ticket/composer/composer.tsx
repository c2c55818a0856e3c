import { createSignal, lazy, onCleanup, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { insertText } from '../../formatting/apply-edit.ts'
import { FormatPreview } from '../../formatting/format-preview.tsx'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { toastError } from '../../ui/toaster.tsx'
import { AttachButton } from '../attachments/attach-button.tsx'
import { DraftFiles } from '../attachments/attachments.tsx'
import { TextPicture } from '../attachments/text-picture.tsx'
import { isUnsaved } from '../draft/draft-storage.ts'
import { focusPane } from '../focus-in-pane.ts'
import { ReplyingNow } from '../header/presence-line.tsx'
import { isSameAddress, nameOf } from '../mail/mail-addresses.ts'
import { recipientsFault, UNFINISHED } from '../recipients/address-list.ts'
import type { TicketDetail } from '../ticket-query.ts'
import { ComposerField } from './composer-field.tsx'
import { useComposerKeys } from './composer-keys.ts'
import type { ComposerState } from './composer-state.ts'
import { Destination, ReplyElsewhere, ReplyProblem } from './destination.tsx'
import { OtherDraft, ReplyOrNote } from './reply-or-note.tsx'
import { SavedReplyPicker } from './saved-reply-picker.tsx'
import { SEND_CHOICES, SendButton, type SendChoice, sendChoice } from './send-button.tsx'
import './composer.css'

import TypeIcon from 'lucide-solid/icons/a-large-small'

/** Loaded when a ticket is opened. If that fails, the field still works. */
const FormatToolbar = lazy(() =>
  import('../../formatting/format-toolbar.tsx').then(
    ({ FormatToolbar }) => ({ default: FormatToolbar }),
    () => ({ default: () => null }),
  ),
)

/** Loaded when it is opened. */
const ReplyRecipients = lazy(() =>
  import('./reply-recipients.tsx').then(
    ({ ReplyRecipients }) => ({ default: ReplyRecipients }),
    () => ({ default: () => <p role="alert">Couldn't load the recipients. Reload the page.</p> }),
  ),
)

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
  field: (field: HTMLTextAreaElement) => void
}

/** Where a reply or a note is written. A note turns it amber. */
export function Composer(props: ComposerProps) {
  const session = useSession()
  let field: HTMLTextAreaElement | undefined
  const [hasFocus, setFocus] = createSignal(false)
  const [isPicking, setPicking] = createSignal(false)
  /** Whether the toolbar is shown where there is too little space for it beside the buttons. */
  const [isFormatting, setFormatting] = createSignal(false)
  /** A `/` that opened the saved replies becomes a letter again when none is picked. */
  let isSlashOwed = false
  const ticket = () => props.detail.ticket
  const reply = () => props.detail.reply
  /** Whether the fields of the recipients are open, and one of them has text that is no address. */
  const [isAddressing, setAddressing] = createSignal(false)
  const [isUnfinished, setUnfinished] = createSignal(false)
  const draft = () => props.composer.shown()
  const isNote = () => props.composer.kind() === 'note'
  /** Who reads the reply first: not always the customer, when others write too. */
  const addressee = () => {
    const { customer } = ticket()
    const [first] = props.composer.recipients()?.to ?? []
    return first && !isSameAddress(first.address, customer.email) ? nameOf(first) : customer.name
  }
  const isSaveLate = () => draft().state().isSaveLate && isUnsaved(draft().state())

  function write(text: string) {
    draft().write(text)
  }

  /** The next key is for the ticket, such as `e` or `j`. */
  function send(choice: SendChoice) {
    const fault = draft().uploads()?.fault()
    if (fault !== undefined) toastError(fault)
    if (!props.composer.canSend() || !hasRecipients()) return
    props.composer.send(choice)
    setAddressing(false)
    focusPane(field)
  }

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

  function insert(text: string) {
    if (field) insertText(field, text)
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
      if (!props.composer.canSend() || !hasRecipients()) return
      send(SEND_CHOICES.find(({ id }) => id === 'resolve') ?? SEND_CHOICES[0])
      props.onNext()
    },
    onLeave: () => focusPane(field),
  })

  onCleanup(() => draft().save())

  const sendButton = () => (
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
  )

  return (
    <section
      class="composer"
      data-kind={props.composer.kind()}
      aria-label={isNote() ? 'Internal note' : 'Reply'}
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
        <Show
          when={isNote()}
          fallback={
            <Destination
              reply={reply()}
              recipients={props.composer.recipients()}
              isOpen={isAddressing()}
              onToggle={() => {
                if (isAddressing()) field?.focus()
                setAddressing(!isAddressing())
              }}
            />
          }
        >
          <p class="composer-private">Only your team sees it</p>
        </Show>
        <ReplyingNow ticketId={ticket().id} />
        <Show when={isSaveLate()}>
          <p class="composer-saved" role="status">
            Saved in this browser
          </p>
        </Show>
      </div>
      <Show when={!isNote()}>
        <ReplyProblem reply={reply()} />
        <ReplyElsewhere detail={props.detail} recipients={props.composer.recipients()} />
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
      <ComposerField
        label={isNote() ? 'Internal note' : `Reply to ${addressee()}`}
        placeholder={isNote() ? 'Write to your team…' : `Reply to ${short(addressee())}…`}
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
          draft().save()
        }}
      />
      <FormatPreview
        text={draft().state().text}
        field={() => field}
        renderImage={(image) => (
          <TextPicture name={image.name} alt={image.alt} attachments={draft().state().attachments} />
        )}
      />
      <Show when={draft().state().attachments.length > 0 || draft().uploads()?.uploads().length}>
        <DraftFiles
          draft={draft()}
          most={session().limits.attachmentsPerMessage}
          onLeave={() => field?.focus()}
        />
      </Show>
      <div class="composer-foot" data-formatting={isFormatting() || undefined}>
        <SavedReplyPicker
          ticket={ticket()}
          isOpen={isPicking()}
          onOpenChange={closePicker}
          onInsert={(text) => {
            isSlashOwed = false
            insert(text)
          }}
        />
        <AttachButton onFiles={props.onFiles} />
        <IconButton
          name="Formatting"
          size="small"
          class="composer-formatting"
          aria-expanded={isFormatting()}
          onClick={() => {
            setFormatting(!isFormatting())
            field?.focus()
          }}
        >
          <TypeIcon />
        </IconButton>
        <FormatToolbar field={() => field} hasPreview />
        <Show when={draft().state().sendsAfterUploads} fallback={sendButton()}>
          <div class="composer-waiting" role="status">
            {isNote() ? 'Adds' : 'Sends'} after upload
            <Button
              size="small"
              onClick={() => {
                draft().cancelSend()
                field?.focus()
              }}
            >
              Cancel
            </Button>
          </div>
        </Show>
      </div>
    </section>
  )
}

function short(name: string): string {
  return name.length > MAX_NAME_LENGTH ? name.slice(0, MAX_NAME_LENGTH) : name
}
