import { Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { MarkdownArea } from '../../formatting/markdown-area.tsx'
import { ConfirmDialog } from '../../forms/confirm-dialog.tsx'
import { createForm } from '../../forms/create-form.ts'
import { DialogForm } from '../../forms/form.tsx'
import { keyComboOf } from '../../keyboard/key-combo.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/text-field.tsx'
import { toast } from '../../ui/toaster.tsx'
import { type MessageEntry, readTicketAgain } from '../ticket-query.ts'

/** When it is on the page. */
function focusLater(field: { focus: () => void }): void {
  queueMicrotask(() => field.focus())
}

interface MessageDialogProps {
  isOpen: boolean
  onClose: () => void
  message: MessageEntry
  ticketId: string
}

/** Removes a message from the chat of the customer. The ticket keeps it. */
export function TakeBackDialog(props: MessageDialogProps) {
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

/** Changes the text of a message that was sent, in the chat of the customer too. */
export function EditDialog(props: MessageDialogProps) {
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

function EditForm(props: MessageDialogProps) {
  const form = createForm({
    values: () => ({ text: props.message.text }),
    save: ({ text }) =>
      ask(
        api.console
          .tickets({ id: props.ticketId })
          .messages({ messageId: props.message.id })
          .patch({ text, format: props.message.format }),
      ).finally(() => readTicketAgain(props.ticketId)),
    onSaved: () => {
      props.onClose()
      return 'Message edited'
    },
  })
  const isUnchanged = () => !form.isChanged() || form.values.text.trim() === ''
  function onKeyDown(event: KeyboardEvent) {
    if (keyComboOf(event) !== 'mod+enter') return
    event.preventDefault()
    if (!isUnchanged() && !form.submit.isPending) form.submit.mutate()
  }
  return (
    <DialogForm form={form} action="Save" isUnchanged={isUnchanged()} onCancel={props.onClose}>
      <Show
        when={props.message.format === 'markdown'}
        fallback={
          <TextArea {...form.text('text')} label="Message" rows={6} onKeyDown={onKeyDown} ref={focusLater} />
        }
      >
        <MarkdownArea
          {...form.text('text')}
          label="Message"
          rows={6}
          onKeyDown={onKeyDown}
          ref={focusLater}
        />
      </Show>
    </DialogForm>
  )
}
