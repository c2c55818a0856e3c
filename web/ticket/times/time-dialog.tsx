import { type JSX, Show } from 'solid-js'
import { Dialog } from '../../ui/dialog.tsx'
import { PickerList, type PickerOption } from '../../ui/picker.tsx'
import { comingTime } from '../thread/times.ts'
import { typedTime } from './typed-time.ts'
import './time-dialog.css'

const DAY_MS = 24 * 60 * 60_000

interface TimeDialogProps {
  isOpen: boolean
  onClose: () => void
  title: string
  /** As people would type them: "Tomorrow 9:00". */
  choices: readonly string[]
  /** How far ahead the time can be. */
  maxDays: number
  onPick: (at: Date) => void
  /** Below the times. */
  children?: JSX.Element
}

/** Asks for a time: one of a few, or one that is typed, such as "fri 10". */
export default function TimeDialog(props: TimeDialogProps) {
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={props.title} size="small">
      <div class="picker time-dialog">
        <PickerList
          label="Time"
          placeholder="Type a time, such as fri 10"
          options={[]}
          optionsFor={(text) => timesFor(text, props)}
          selected={[]}
          onPick={(value) => props.onPick(new Date(Number(value)))}
          onDone={props.onClose}
          emptyText={`Try “fri 10”, “tomorrow 14:30”, or “3 days”: at most ${props.maxDays} days ahead.`}
        />
      </div>
      <Show when={props.children}>{props.children}</Show>
    </Dialog>
  )
}

/** The choices that begin with the text, and what else it means. */
function timesFor(text: string, { choices, maxDays }: TimeDialogProps): PickerOption[] {
  const now = new Date()
  const last = now.getTime() + maxDays * DAY_MS
  const begun = choices.filter((choice) => choice.toLowerCase().startsWith(text.toLowerCase()))
  const known = new Set<number>()
  return [...begun, ...(text === '' ? [] : [text])].flatMap((choice): PickerOption[] => {
    const isTyped = choice === text
    // On a Monday, the choice means the next one.
    const at = typedTime(isTyped ? choice : choice.replace(/^(?=mon)/i, 'next '), now)?.getTime()
    if (at === undefined || at > last || known.has(at)) return []
    known.add(at)
    const when = comingTime(new Date(at))
    return [isTyped ? { value: `${at}`, label: when } : { value: `${at}`, label: choice, detail: when }]
  })
}
