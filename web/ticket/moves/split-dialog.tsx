import { useLocation, useNavigate } from '@solidjs/router'
import { createForm } from '../../forms/create-form.ts'
import { DialogForm } from '../../forms/form.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { pushUndo } from '../changes/undo.ts'
import { shortId } from '../ticket-names.ts'
import type { MessageEntry, Ticket } from '../ticket-query.ts'
import { splitTicket, undoMove } from './moves.ts'

const MAX_SUBJECT = 255
const SUGGESTED_LENGTH = 80

interface SplitDialogProps {
  isOpen: boolean
  onClose: () => void
  message: MessageEntry
  ticket: Ticket
  /** With all messages and notes after it. */
  andLater: boolean
}

/** Moves a message, or all from it on, into a new ticket. */
export default function SplitDialog(props: SplitDialogProps) {
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title={props.andLater ? 'New ticket from here' : 'New ticket from this message'}
      description={`${props.andLater ? 'This message and all messages and notes after it move' : 'This message moves'} into a new ticket of ${props.ticket.customer.name}. Nothing is sent again. You can undo this for 30 days.`}
    >
      <SplitForm {...props} />
    </Dialog>
  )
}

function SplitForm(props: SplitDialogProps) {
  const navigate = useNavigate()
  const location = useLocation()
  const form = createForm({
    values: () => ({ subject: suggestedSubject(props.message) }),
    save: ({ subject }) =>
      splitTicket(props.ticket.id, {
        message: props.message.id,
        andLater: props.andLater,
        subject: subject.trim(),
      }),
    onSaved: ({ id, into }) => {
      const here = location.pathname
      pushUndo({
        label: `Opened ${shortId(into)}`,
        async undo() {
          await undoMove(id)
          navigate(here + location.search, { scroll: false })
        },
      })
      props.onClose()
      navigate(here.replace(props.ticket.id, into) + location.search, { scroll: false })
    },
    isUnsaved: () => false,
  })
  return (
    <DialogForm
      form={form}
      action="Open ticket"
      isUnchanged={form.values.subject.trim() === ''}
      onCancel={props.onClose}
    >
      <TextField {...form.text('subject')} label="Subject" maxLength={MAX_SUBJECT} required />
    </DialogForm>
  )
}

function suggestedSubject({ email, text }: MessageEntry): string {
  const line = text.split('\n').find((each) => each.trim() !== '') ?? ''
  return (email?.subject || line.trim() || 'New ticket').slice(0, SUGGESTED_LENGTH)
}
