import TimeDialog from './time-dialog.tsx'

const CHOICES = ['In 2 hours', 'Tomorrow 9:00', 'Monday 9:00']
/** The limit of the API: `MAX_DAYS_AHEAD` in server/messages/schedule-message.ts. */
const MAX_DAYS_AHEAD = 30

interface SendLaterDialogProps {
  isOpen: boolean
  onClose: () => void
  title: string
  onPick: (at: Date) => void
}

/** Asks when a message is sent. */
export default function SendLaterDialog(props: SendLaterDialogProps) {
  return (
    <TimeDialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title={props.title}
      choices={CHOICES}
      maxDays={MAX_DAYS_AHEAD}
      onPick={props.onPick}
    />
  )
}
