import { createEffect, createMemo, createSignal, on, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { useSession } from '../../api/session.ts'
import { keyComboOf } from '../../keyboard/key-combo.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorText } from '../../ui/error-text.tsx'
import { toast } from '../../ui/toaster.tsx'
import { isInHtml } from '../attachments/attachment-type.ts'
import { DropTarget } from '../attachments/lazy-files.tsx'
import { recipientsFault, UNFINISHED } from '../recipients/address-list.ts'
import { RecipientsEditor } from '../recipients/recipients-editor.tsx'
import { suggestCustomers } from '../recipients/suggest-customers.ts'
import { type MessageEntry, readTicketAgain, type Ticket } from '../ticket-query.ts'
import './forward-dialog.css'
import { createMailFiles } from './mail-files.ts'
import { MailText } from './mail-text.tsx'
import { createMailDraft, isEmpty } from './outgoing-mail.ts'

interface ForwardDialogProps {
  isOpen: boolean
  onClose: () => void
  message: MessageEntry
  ticket: Ticket
}

/** Sends a message with its files to someone outside. The customer doesn't get it. */
export default function ForwardDialog(props: ForwardDialogProps) {
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title="Forward message"
      description={`${props.ticket.customer.name} doesn't get this. Answers come back into the ticket.`}
      size="wide"
    >
      <ForwardForm {...props} />
    </Dialog>
  )
}

function ForwardForm(props: ForwardDialogProps) {
  const session = useSession()
  const draft = createMailDraft(session().agent.id, props.message.id)
  const files = createMailFiles(draft)
  const { mail, change } = draft
  const [isUnfinished, setUnfinished] = createSignal(false)
  const [isBusy, setBusy] = createSignal(false)
  const [error, setError] = createSignal('')
  const fileCount = () => props.message.attachments?.filter((file) => !isInHtml(file)).length ?? 0

  // What was wrong with it is mended, or at least no longer the same.
  // A memo, because files load late: that alone mends nothing.
  const fileFault = createMemo(() => files.fault())
  createEffect(on([mail, isUnfinished, fileFault], () => setError(''), { defer: true }))

  async function send(): Promise<void> {
    const reason = isUnfinished() ? UNFINISHED : (recipientsFault(mail()) ?? files.fault())
    setError(reason ?? '')
    if (reason || isBusy()) return
    setBusy(true)
    if (!(await files.settle())) {
      setBusy(false)
      setError(files.fault() ?? '')
      return
    }
    const { to, cc, text } = mail()
    const { ticket, message } = props
    try {
      const { forward } = api.console.tickets({ id: ticket.id }).messages({ messageId: message.id })
      await ask(forward.post({ id: draft.idToSend(), to, cc, text, format: 'markdown', ...files.body() }))
      draft.discard()
      toast(`Forwarded to ${to.map(({ name, address }) => name || address).join(', ')}`)
      props.onClose()
    } catch (thrown) {
      setError(files.dropGone(thrown) ?? errorMessage(thrown))
    }
    void readTicketAgain(ticket.id)
    setBusy(false)
  }

  return (
    <form
      class="forward-dialog"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
      onKeyDown={(event) => {
        if (keyComboOf(event) !== 'mod+enter') return
        event.preventDefault()
        void send()
      }}
    >
      <RecipientsEditor
        recipients={mail()}
        onChange={(recipients) => change(recipients)}
        onUnfinished={setUnfinished}
        suggest={suggestCustomers}
      />
      <MailText
        label="Comment"
        placeholder="Add a comment…"
        text={mail().text}
        onWrite={(text) => change({ text })}
        files={files}
        ticket={props.ticket}
      />
      <blockquote class="forward-dialog-message">
        <p>{props.message.text}</p>
      </blockquote>
      <Show when={props.message.html === 'formatted' || fileCount() > 0}>
        <p class="forward-dialog-files">
          {props.message.html === 'formatted' && 'Keeps its formatting and images. '}
          {fileCount() === 1 && '1 file goes along.'}
          {fileCount() > 1 && `${fileCount()} files go along.`}
        </p>
      </Show>
      <div class="forward-dialog-foot">
        <Show when={error()}>{(text) => <ErrorText>{text()}</ErrorText>}</Show>
        <Show when={!isEmpty(mail())}>
          <Button
            look="quiet"
            onClick={() => {
              draft.discard()
              props.onClose()
            }}
          >
            Discard
          </Button>
        </Show>
        <Button type="submit" look="primary" keys="mod+enter" isBusy={isBusy()}>
          Forward
        </Button>
      </div>
      <DropTarget name="your message" onFiles={files.add} />
    </form>
  )
}
