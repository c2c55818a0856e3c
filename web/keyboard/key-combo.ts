import { isComposing } from '../ui/ime.ts'

const KEY_NAMES: Record<string, string> = {
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
/** These press a focused button or link. */
const BUTTON_KEYS = ['enter', 'space']
/** While one of these is open, keys go to it. */
const OVERLAYS = '[role="dialog"], [role="alertdialog"], [role="menu"]'

/** These do nothing on their own. */
const IGNORED_KEYS = ['Shift', 'Control', 'Alt', 'Meta', 'AltGraph', 'Dead']

const LETTERS = /^[\p{L}\p{M}]+$/u
const LATIN = /\p{Script=Latin}/u
/** The signs of a US keyboard, without and with shift, by the position of the key. */
const US_SIGNS: Record<string, [string, string]> = {
  Slash: ['/', '?'],
  Period: ['.', '>'],
  BracketLeft: ['[', '{'],
  BracketRight: [']', '}'],
}

/** Whether the last letter came from a layout without Latin letters. A sign alone doesn't show the layout. */
let isNonLatinLayout = false

/** `e`, `E`, `?`, `mod+k`, `mod+shift+enter`, `escape`; undefined during IME composition, and for shift alone. */
export function keyComboOf(event: KeyboardEvent): string | undefined {
  // Autofill sends a keydown event without a key.
  if (!event.key || isComposing(event) || IGNORED_KEYS.includes(event.key)) return undefined
  const name = KEY_NAMES[event.key] ?? digitOf(event) ?? keyOf(event)
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

/** With Control and Shift, a digit is meant, whatever sign it types. */
function digitOf({ code, ctrlKey, metaKey, shiftKey }: KeyboardEvent): string | undefined {
  return shiftKey && (ctrlKey || metaKey) && code.startsWith('Digit') ? code.slice('Digit'.length) : undefined
}

/**
 * The key as shortcuts name it: the letter it types. On a layout without Latin letters (Cyrillic, Greek, Arabic), the
 * letter at its position on a US keyboard. AZERTY and Dvorak have Latin letters.
 */
function keyOf({ key, code, shiftKey }: KeyboardEvent): string {
  const isNonLatin = LETTERS.test(key) && !LATIN.test(key)
  if (isNonLatin) isNonLatinLayout = true
  else if (key.length === 1 && LATIN.test(key)) isNonLatinLayout = false
  const signs = isNonLatinLayout && key.length === 1 ? US_SIGNS[code] : undefined
  if (signs) return signs[shiftKey ? 1 : 0]
  return isNonLatin && code.startsWith('Key') ? code.slice('Key'.length).toLowerCase() : key
}

/** Whether the key goes to a field, a focused button, or a dialog over the page, instead of to a shortcut. */
export function isForFocusedElement(
  event: KeyboardEvent,
  combo: string,
  { isForFields = false, isForDialogs = false }: { isForFields?: boolean; isForDialogs?: boolean },
): boolean {
  const { target } = event
  if (!isForDialogs && document.querySelector(OVERLAYS)) return true
  if (!(target instanceof HTMLElement)) return false
  if (!isForFields && isField(target)) return true
  return BUTTON_KEYS.includes(combo) && target.closest('button, a[href], summary, [role="button"]') !== null
}

/** Whether the key goes to a field or a dialog over the page. */
export function isForFieldOrDialog({ target }: KeyboardEvent): boolean {
  return document.querySelector(OVERLAYS) !== null || (target instanceof Element && isField(target))
}

/** Whether typing into the element enters text. */
export function isField(element: Element): boolean {
  if (element instanceof HTMLInputElement)
    return !['checkbox', 'radio', 'button', 'range'].includes(element.type)
  if (element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement) return true
  return element instanceof HTMLElement && element.isContentEditable
}
