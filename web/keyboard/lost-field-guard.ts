import { isField, keyComboOf } from './key-combo.ts'

// A field can disappear while an agent types in it, for example when a colleague deletes the ticket. The rest of the
// sentence would then run as shortcuts. So keys are ignored until the agent pauses, clicks, or focuses something.

const TYPING_KEYS = ['space', 'enter', 'backspace', 'delete', 'unidentified']
/** These end typing in a field. The next keys are shortcuts. */
const EXIT_KEYS = ['escape', 'tab']

/** After a longer pause, keys are no longer part of the sentence. */
const PAUSE_MS = 2_000

let lastKeyAt = 0
/** The field last typed in, even after it was removed. */
let lastField: Element | undefined

function onKeyDown(event: KeyboardEvent): void {
  const combo = keyComboOf(event)?.replace('shift+', '')
  if (combo === undefined) return
  const isPause = event.timeStamp - lastKeyAt > PAUSE_MS
  lastKeyAt = event.timeStamp
  const { target } = event
  if (target instanceof Element && isField(target)) {
    lastField = endsTyping(target, combo) ? undefined : target
  } else if (isPause || !isTyping(combo) || lastField?.isConnected) {
    lastField = undefined
  } else if (lastField) {
    event.preventDefault()
    event.stopImmediatePropagation()
  }
}

function isTyping(combo: string): boolean {
  return combo.length === 1 || TYPING_KEYS.includes(combo)
}

/** Enter ends typing in a field of one line, Ctrl+Enter in any field. */
function endsTyping(field: Element, combo: string): boolean {
  if (combo === 'enter') return field instanceof HTMLInputElement
  return EXIT_KEYS.includes(combo) || combo.endsWith('+enter')
}

function onFocusIn({ target }: FocusEvent): void {
  if (target instanceof Element && isField(target)) lastField = target
}

function forgetField(): void {
  lastField = undefined
}

// In the capture phase, so that they run before all other listeners.
window.addEventListener('keydown', onKeyDown, { capture: true })
window.addEventListener('focusin', onFocusIn, { capture: true })
window.addEventListener('pointerdown', forgetField, { capture: true })
window.addEventListener('popstate', forgetField)
