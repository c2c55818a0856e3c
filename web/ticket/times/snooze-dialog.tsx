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
          if (key !== 'Enter') return
          const dialog = currentTarget.closest('[role="dialog"]')
          const time = dialog?.querySelector<HTMLInputElement>('[role="combobox"]')
          // Without a typed time, the first choice would be taken by accident.
          if (time?.value.trim()) dialog?.querySelector<HTMLElement>('[data-highlighted]')?.click()
          else time?.focus()
        }}
      />
    </TimeDialog>
  )
}
