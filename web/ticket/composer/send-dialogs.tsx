import type { Actions } from '../changes/actions.ts'
import SendLaterDialog from '../times/send-later-dialog.tsx'
import SnoozeDialog from '../times/snooze-dialog.tsx'

interface SendDialogsProps {
  isOpen: boolean
  onClose: () => void
  /** Which of them is open. */
  asked: 'later' | 'snooze' | undefined
  /** The name of the way to send that is chosen. */
  label: string
  onLater: (at: Date) => void
  onSnooze: (snooze: Actions) => void
}

/** What the menu of Send asks: when to send, or until when the ticket is put away. */
export default function SendDialogs(props: SendDialogsProps) {
  return (
    <>
      <SendLaterDialog
        isOpen={props.asked === 'later'}
        onClose={props.onClose}
        title={`${props.label} later`}
        onPick={props.onLater}
      />
      <SnoozeDialog
        isOpen={props.asked === 'snooze'}
        onClose={props.onClose}
        title="Send and snooze"
        onPick={props.onSnooze}
      />
    </>
  )
}
