import { useMutation } from '@tanstack/solid-query'
import { createSignal } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { api, ask } from '../../api/api.ts'
import { fieldError } from '../../api/api-problem.ts'
import { MarkdownArea } from '../../formatting/markdown-area.tsx'
import { DialogForm } from '../../forms/form.tsx'
import { keyComboOf } from '../../keyboard/key-combo.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { type MessageEntry, readTicketAgain } from '../ticket-query.ts'

interface EditDialogProps {
  isOpen: boolean
  onClose: () => void
  message: MessageEntry
  ticketId: string
}

/** Changes the text of a message that was sent, in the chat of the customer too. */
export default function EditDialog(props: EditDialogProps) {
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title="Edit message"
      description="It changes in the customer's chat, marked as edited. Your team can still see the earlier text."
      size="wide"
    >
      <EditForm {...props} />
    </Dialog>
  )
}

function EditForm(props: EditDialogProps) {
  const [text, setText] = createSignal(props.message.text)
  const save = useMutation(() => ({
    mutationFn: () =>
      ask(
        api.console
          .tickets({ id: props.ticketId })
          .messages({ messageId: props.message.id })
          .patch({ text: text(), format: props.message.format }),
      ),
    onSuccess: () => {
      toast('Message edited')
      props.onClose()
    },
    onSettled: () => readTicketAgain(props.ticketId),
  }))
  const isUnchanged = () => text() === props.message.text || text().trim() === ''
  return (
    <DialogForm
      save={save}
      fields={['text']}
      action="Save"
      isUnchanged={isUnchanged()}
      onCancel={props.onClose}
    >
      <Dynamic
        component={props.message.format === 'markdown' ? MarkdownArea : TextArea}
        label="Message"
        rows={6}
        value={text()}
        onInput={setText}
        error={fieldError(save.error, 'text')}
        onKeyDown={(event) => {
          if (keyComboOf(event) !== 'mod+enter') return
          event.preventDefault()
          if (!isUnchanged() && !save.isPending) save.mutate()
        }}
        ref={(field) => queueMicrotask(() => field.focus())}
      />
    </DialogForm>
  )
}
