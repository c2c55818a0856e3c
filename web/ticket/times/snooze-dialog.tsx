import { createSignal } from 'solid-js'
import { TextField } from '../../ui/text-field.tsx'
import TimeDialog from './time-dialog.tsx'

const CHOICES = ['3 hours', 'Tomorrow 9:00', 'Monday 9:00', 'A week']
/** The limit of the server: server/tickets/snooze/snooze.ts. */
const MAX_DAYS = 365
/** The same: `why` in server/tickets/schemas.ts. */
const MAX_WHY_LENGTH = 200

interface SnoozeDialogProps {
  isOpen: boolean
  onClose: () => void
  title: string
  onPick: (snooze: { snoozedUntil: string; why: string }) => void
}

/** Asks until when a ticket is put away, and why. */
export default function SnoozeDialog(props: SnoozeDialogProps) {
  const [why, setWhy] = createSignal('')
  function close(): void {
    setWhy('')
    props.onClose()
  }
  return (
    <TimeDialog
      isOpen={props.isOpen}
      onClose={close}
      title={props.title}
      choices={CHOICES}
      maxDays={MAX_DAYS}
      onPick={(at) => props.onPick({ snoozedUntil: at.toISOString(), why: why().trim() })}
    >
      <TextField
        label="Why"
        placeholder="Optional, such as: call the carrier"
        value={why()}
        maxLength={MAX_WHY_LENGTH}
        onInput={setWhy}
        onKeyDown={({ key, currentTarget }) => {
          // The time is chosen last.
          if (key !== 'Enter') return
          currentTarget.closest('[role="dialog"]')?.querySelector<HTMLElement>('[role="combobox"]')?.focus()
        }}
      />
    </TimeDialog>
  )
}
