import { isComposing } from '../ui/ime.ts'

const NAMED: Record<string, string> = {
  Enter: 'enter',
  Escape: 'escape',
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ' ': 'space',
  Home: 'home',
  End: 'end',
  Backspace: 'backspace',
  Delete: 'delete',
}
/** Belong to whatever has the focus, when that can be pressed. */
const PRESSING = ['enter', 'space']
/** While one of these is on the page, keys are for it. */
const OVER_THE_PAGE = '[role="dialog"], [role="alertdialog"], [role="menu"]'

/** Say nothing by themselves. */
const SILENT = ['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'Dead']

const NOT_LATIN = /^[\p{L}\p{M}]+$/u
const LATIN = /\p{Script=Latin}/u
/** What a keyboard for English has there, alone and with shift. */
const SIGNS: Record<string, [string, string]> = {
  Slash: ['/', '?'],
  Period: ['.', '>'],
  BracketLeft: ['[', '{'],
  BracketRight: [']', '}'],
}

/** Whether the last letter was typed on a layout without Latin letters: signs do not tell it by themselves. */
let isElsewhere = false

/** `e`, `E`, `?`, `mod+k`, `mod+shift+enter`, `escape`; undefined while a letter is being composed, or for shift alone. */
export function pressOf(event: KeyboardEvent): string | undefined {
  // A browser that fills in a form by itself tells of a press without a key.
  if (!event.key || isComposing(event) || SILENT.includes(event.key)) return undefined
  const name = NAMED[event.key] ?? keyOf(event)
  // Where brackets and braces need AltGr, Windows reports it as Control and Alt.
  const isAltGr = event.getModifierState('AltGraph')
  const mod = !isAltGr && (event.ctrlKey || event.metaKey) ? 'mod+' : ''
  const alt = !isAltGr && event.altKey ? 'alt+' : ''
  if (name.length > 1 || mod || alt) {
    return `${mod}${alt}${event.shiftKey ? 'shift+' : ''}${name.toLowerCase()}`
  }
  // By the shift key, not by caps lock: `E` does more than `e`.
  return event.shiftKey ? name.toUpperCase() : name.toLowerCase()
}

/**
 * What a key means to commands: the letter it types. Where it types none of the Latin alphabet (Cyrillic, Greek, Arabic),
 * that of its place on the keyboard, which is the only way to press it there. AZERTY and Dvorak have Latin letters.
 */
function keyOf({ key, code, shiftKey }: KeyboardEvent): string {
  const isOther = NOT_LATIN.test(key) && !LATIN.test(key)
  if (isOther) isElsewhere = true
  else if (key.length === 1 && LATIN.test(key)) isElsewhere = false
  const signs = isElsewhere && key.length === 1 ? SIGNS[code] : undefined
  if (signs) return signs[shiftKey ? 1 : 0]
  return isOther && code.startsWith('Key') ? code.slice('Key'.length).toLowerCase() : key
}

/** Whether the press belongs to a field, to a button that has the focus, or to a dialog over the page. */
export function isMeantForElsewhere(event: KeyboardEvent, press: string, isForFields: boolean): boolean {
  const { target } = event
  if (document.querySelector(OVER_THE_PAGE)) return true
  if (!(target instanceof HTMLElement)) return false
  if (!isForFields && isField(target)) return true
  return PRESSING.includes(press) && target.closest('button, a[href], summary, [role="button"]') !== null
}

/** Whether letters are typed into a field, or into a dialog over the page. */
export function isTypedElsewhere({ target }: KeyboardEvent): boolean {
  return document.querySelector(OVER_THE_PAGE) !== null || (target instanceof Element && isField(target))
}

/** Whether what is typed there becomes text. */
export function isField(element: Element): boolean {
  if (element instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'button', 'range'].includes(element.type)
  if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return true
  return element instanceof HTMLElement && element.isContentEditable
}
