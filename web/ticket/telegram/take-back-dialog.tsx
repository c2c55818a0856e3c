import { api, ask } from '../../api/api.ts'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { toast } from '../../ui/toaster.tsx'
import { type MessageEntry, readTicketAgain } from '../ticket-query.ts'

interface TakeBackDialogProps {
  isOpen: boolean
  onClose: () => void
  message: MessageEntry
  ticketId: string
}

/** Removes a message from the chat of the customer. The ticket keeps it. */
export default function TakeBackDialog(props: TakeBackDialogProps) {
  async function takeBack(): Promise<void> {
    const { messages } = api.console.tickets({ id: props.ticketId })
    try {
      await ask(messages({ messageId: props.message.id }).delete())
      toast('Message taken back')
    } finally {
      void readTicketAgain(props.ticketId)
    }
  }
  return (
    <ConfirmDialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title="Take back this message?"
      text="It's removed from the customer's chat, where it may have been read already. Your team can still see it here."
      action="Take back"
      onConfirm={takeBack}
    />
  )
}
