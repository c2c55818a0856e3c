import { type Accessor, createMemo, createSignal, onCleanup } from 'solid-js'
import { isMeantForElsewhere, pressOf } from './key-combo.ts'
import './lost-field-guard.ts'

export const SECTIONS = ['Reply', 'Ticket', 'Move', 'Select', 'Go to', 'Everywhere'] as const

/** Something the person can do by keys, from the palette, or both. */
export interface KeyAction {
  id: string
  /** A verb: "Resolve", "Assign to me". */
  label: string
  section: (typeof SECTIONS)[number]
  /**
   * Presses one after the other: `['e']`, `['E']` for shift, `['g', 'm']`, `['mod+k']`, `['enter']`, `['escape']`, `['up']`.
   * Empty for what only the palette offers.
   */
  keys: string[]
  /** Other ways to the same, such as `[['o']]`. */
  otherKeys?: string[][]
  run: () => void
  /** Without it, always. When it says no, the keys go to whoever else has registered them. */
  isEnabled?: () => boolean
  /** Also while the focus is in a field: for chords with `mod`, and for escape. */
  isForFields?: boolean
  /** Also again and again while the key is held: for moving, not for changing. */
  isRepeated?: boolean
  /** Goes before those with the same keys that were registered later: what is selected goes before what is open. */
  isFirst?: boolean
  /** Left out of the palette: it makes sense only as a key. */
  isKeyOnly?: boolean
  /** Listed in gray: it needs an open ticket, and none is open. */
  isUnavailable?: boolean
  /** Left out of the sheet too: everyone expects it. */
  isUnlisted?: boolean
}

/** How long the second key of `g m` may take. */
const NEXT_KEY_WITHIN_MS = 1_500

type Registration = Accessor<KeyAction[]>

const [registrations, setRegistrations] = createSignal<Registration[]>([])
let begun: string[] = []
let begunAt = 0

/** Offers actions while the component lives. Of several with the same keys, the one registered last and enabled runs. */
export function useKeys(actions: () => KeyAction[]): void {
  const registration = createMemo(actions)
  setRegistrations((others) => [...others, registration])
  onCleanup(() => setRegistrations((others) => others.filter((other) => other !== registration)))
}

/** All that can be done here and now, each once: for the palette and the sheet of keys. */
export function knownActions(): KeyAction[] {
  const known = new Map<string, KeyAction>()
  for (const action of registeredActions()) {
    const other = known.get(action.id)
    if (!other?.isFirst || !isActionEnabled(other)) known.set(action.id, action)
  }
  return [...known.values()]
}

/** Those that would do something at this moment. */
export function isActionEnabled(action: KeyAction): boolean {
  return action.isEnabled?.() ?? true
}

function registeredActions(): KeyAction[] {
  return registrations().flatMap((registration) => registration())
}

function pressed(event: KeyboardEvent): void {
  const press = pressOf(event)
  if (!press || event.defaultPrevented) return
  const presses = event.timeStamp - begunAt < NEXT_KEY_WITHIN_MS ? [...begun, press] : [press]
  begun = []
  const candidates = registeredActions().filter((action) => mayRun(action, event, press))
  const fitting = candidates.filter((candidate) => waysOf(candidate).some((keys) => isSame(keys, presses)))
  const action = fitting.findLast(({ isFirst }) => isFirst) ?? fitting.at(-1)
  if (action) {
    event.preventDefault()
    action.run()
    return
  }
  const isBeginning = candidates.some((candidate) => waysOf(candidate).some((keys) => begins(keys, presses)))
  // After `g`, a letter that leads nowhere does nothing, instead of what it does alone.
  if (!isBeginning) return
  event.preventDefault()
  begun = presses
  begunAt = event.timeStamp
}

function mayRun(action: KeyAction, event: KeyboardEvent, press: string): boolean {
  if (event.repeat && !action.isRepeated) return false
  return !isMeantForElsewhere(event, press, action.isForFields ?? false) && isActionEnabled(action)
}

function waysOf({ keys, otherKeys }: KeyAction): string[][] {
  return [keys, ...(otherKeys ?? [])].filter((way) => way.length > 0)
}

function isSame(keys: string[], presses: string[]): boolean {
  return keys.length === presses.length && begins([...keys, ''], presses)
}

function begins(keys: string[], presses: string[]): boolean {
  return keys.length > presses.length && presses.every((press, place) => keys[place] === press)
}

document.addEventListener('keydown', pressed)
