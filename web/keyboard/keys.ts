import { type Accessor, createMemo, createSignal, onCleanup } from 'solid-js'
import { isForFocusedElement, keyComboOf } from './key-combo.ts'
import './lost-field-guard.ts'

export const SECTIONS = ['Reply', 'Ticket', 'Move', 'Select', 'Go to', 'Everywhere'] as const

/** An action that has a shortcut, is listed in the command menu, or both. */
export interface KeyAction {
  id: string
  /** A verb: "Resolve", "Assign to me". */
  label: string
  section: (typeof SECTIONS)[number]
  /**
   * Key combos in order: `['e']`, `['E']` for shift, `['g', 'm']`, `['mod+k']`, `['enter']`, `['escape']`, `['up']`.
   * Empty for an action that is only in the command menu.
   */
  keys: string[]
  /** Alternative shortcuts, such as `[['o']]`. */
  otherKeys?: string[][]
  run: () => void
  /** Enabled by default. While disabled, the keys run another action registered for them. */
  isEnabled?: () => boolean
  /** Also runs while a field has the focus. For combos with `mod`, and for escape. */
  isForFields?: boolean
  /** Also runs while a dialog is open. For actions that are enabled only for a field in it. */
  isForDialogs?: boolean
  /** Repeats while the key is held. For moving, not for changes. */
  isRepeated?: boolean
  /** Has priority over actions with the same keys that were registered later. */
  isFirst?: boolean
  /** Not listed in the command menu. */
  isKeyOnly?: boolean
  /** Listed in gray, because it needs an open ticket. */
  isUnavailable?: boolean
  /** Not listed among the shortcuts either, because everyone expects it. */
  isUnlisted?: boolean
}

/** The maximum time between the keys of `g m`. */
const MAX_SEQUENCE_PAUSE_MS = 1_500

type Registration = Accessor<KeyAction[]>

const [registrations, setRegistrations] = createSignal<Registration[]>([])
let pending: string[] = []
let pendingAt = 0

/** Registers actions while the component is mounted. Of the enabled actions with the same keys, the last one runs. */
export function useKeys(actions: () => KeyAction[]): void {
  const registration = createMemo(actions)
  setRegistrations((others) => [...others, registration])
  onCleanup(() => setRegistrations((others) => others.filter((other) => other !== registration)))
}

/** Actions of one section. */
export function actionsIn(section: KeyAction['section'], actions: Omit<KeyAction, 'section'>[]): KeyAction[] {
  return actions.map((action) => ({ ...action, section }))
}

/** All registered actions, each once. For the command menu and the list of shortcuts. */
export function knownActions(): KeyAction[] {
  const known = new Map<string, KeyAction>()
  for (const action of registeredActions()) {
    const other = known.get(action.id)
    if (!other?.isFirst || !isActionEnabled(other)) known.set(action.id, action)
  }
  return [...known.values()]
}

/** Whether the action would do something now. */
export function isActionEnabled(action: KeyAction): boolean {
  return action.isEnabled?.() ?? true
}

function registeredActions(): KeyAction[] {
  return registrations().flatMap((registration) => registration())
}

function onKeyDown(event: KeyboardEvent): void {
  const combo = keyComboOf(event)
  if (!combo || event.defaultPrevented) return
  const combos = event.timeStamp - pendingAt < MAX_SEQUENCE_PAUSE_MS ? [...pending, combo] : [combo]
  pending = []
  // First by their keys: whether one can run takes a look at the whole page.
  const candidates = registeredActions()
    .filter((action) => sequencesOf(action).some((keys) => startsWith([...keys, ''], combos)))
    .filter((action) => canRun(action, event, combo))
  const matches = candidates.filter((candidate) =>
    sequencesOf(candidate).some((keys) => isSameSequence(keys, combos)),
  )
  const action = matches.findLast(({ isFirst }) => isFirst) ?? matches.at(-1)
  if (action) {
    event.preventDefault()
    action.run()
    return
  }
  const isStart = candidates.some((candidate) =>
    sequencesOf(candidate).some((keys) => startsWith(keys, combos)),
  )
  // After `g`, a letter without a shortcut does nothing, not even its own action.
  if (!isStart) return
  event.preventDefault()
  pending = combos
  pendingAt = event.timeStamp
}

function canRun(action: KeyAction, event: KeyboardEvent, combo: string): boolean {
  if (event.repeat && !action.isRepeated) return false
  return !isForFocusedElement(event, combo, action) && isActionEnabled(action)
}

function sequencesOf({ keys, otherKeys }: KeyAction): string[][] {
  return [keys, ...(otherKeys ?? [])].filter((sequence) => sequence.length > 0)
}

function isSameSequence(keys: string[], combos: string[]): boolean {
  return keys.length === combos.length && startsWith([...keys, ''], combos)
}

function startsWith(keys: string[], combos: string[]): boolean {
  return keys.length > combos.length && combos.every((combo, at) => keys[at] === combo)
}

document.addEventListener('keydown', onKeyDown)

/** The keys of the command menu and of the list of shortcuts. */
export function overviewActions(showPalette: () => void, showKeys: () => void): KeyAction[] {
  return actionsIn('Everywhere', [
    {
      id: 'palette',
      label: 'Command menu',
      keys: ['mod+k'],
      run: showPalette,
      isForFields: true,
      isKeyOnly: true,
    },
    { id: 'keys', label: 'Keyboard shortcuts', keys: ['?'], run: showKeys },
  ])
}
