import { Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { useSession } from '../../api/session.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { toast } from '../../ui/toaster.tsx'
import { isInHtml } from '../attachments/attachment-type.ts'
import { type MessageEntry, readTicketAgain, type Ticket } from '../ticket-query.ts'
import { MailForm } from './mail-form.tsx'
import { createMailDraft } from './outgoing-mail.ts'
import './mail-form.css'

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
  const fileCount = () => props.message.attachments?.filter((file) => !isInHtml(file)).length ?? 0

  return (
    <div class="forward-dialog">
      <MailForm
        draft={draft}
        label="Comment"
        placeholder="Add a comment…"
        ticket={props.ticket}
        action="Forward"
        send={async (mail) => {
          const { ticket, message } = props
          try {
            await ask(
              api.console.tickets({ id: ticket.id }).messages({ messageId: message.id }).forward.post(mail),
            )
          } finally {
            void readTicketAgain(ticket.id)
          }
          draft.discard()
          toast(`Forwarded to ${mail.to.map(({ name, address }) => name || address).join(', ')}`)
          props.onClose()
        }}
        onDiscard={props.onClose}
      >
        <blockquote class="forward-dialog-message">
          <p>{props.message.text}</p>
        </blockquote>
        <Show when={props.message.html === 'formatted' || fileCount() > 0}>
          <p class="forward-dialog-files">
            {props.message.html === 'formatted' && 'Keeps its formatting and images. '}
            {fileCount() === 1 && '1 file is included.'}
            {fileCount() > 1 && `${fileCount()} files are included.`}
          </p>
        </Show>
      </MailForm>
    </div>
  )
}
