import { isField, pressOf } from './key-combo.ts'

// Whoever writes looks at the keys, or is faster than the eye. When somebody else takes the field away from under their
// hands, the rest of the sentence would be commands on whatever is there then. So it is nothing, until they act again.

const WRITING = ['space', 'enter', 'backspace', 'delete', 'unidentified']
/** Ends writing in a field: what comes next is meant for the page. */
const LEAVING = ['escape', 'tab']

/** Nobody who writes on waits so long between two keys. */
const PAUSE_MS = 2_000

let pressedAt = 0
/** The field that keys are meant for, also when it is gone. */
let writtenIn: Element | undefined

function pressed(event: KeyboardEvent): void {
  const press = pressOf(event)?.replace('shift+', '')
  if (press === undefined) return
  const isPause = event.timeStamp - pressedAt > PAUSE_MS
  pressedAt = event.timeStamp
  const { target } = event
  if (target instanceof Element && isField(target)) {
    writtenIn = isLeft(target, press) ? undefined : target
  } else if (isPause || !isWriting(press) || writtenIn?.isConnected) {
    writtenIn = undefined
  } else if (writtenIn) {
    event.preventDefault()
    event.stopImmediatePropagation()
  }
}

function isWriting(press: string): boolean {
  return press.length === 1 || WRITING.includes(press)
}

/** Enter sends what has one line, and with Ctrl what has several. */
function isLeft(field: Element, press: string): boolean {
  if (press === 'enter') return !(field instanceof HTMLTextAreaElement)
  return LEAVING.includes(press) || press.endsWith('+enter')
}

function focused({ target }: FocusEvent): void {
  if (target instanceof Element && isField(target)) writtenIn = target
}

function acted(): void {
  writtenIn = undefined
}

// Before everybody else who listens for keys.
window.addEventListener('keydown', pressed, { capture: true })
window.addEventListener('focusin', focused, { capture: true })
window.addEventListener('pointerdown', acted, { capture: true })
window.addEventListener('popstate', acted)
