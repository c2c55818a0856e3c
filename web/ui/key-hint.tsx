import { For } from 'solid-js'
import './badge.css'

const IS_APPLE = /Mac|iPhone|iPad/.test(navigator.platform)
const NAMES: Record<string, string> = IS_APPLE
  ? { mod: '⌘', shift: '⇧', alt: '⌥', enter: '↩', escape: 'esc', up: '↑', down: '↓', left: '←', right: '→' }
  : {
      mod: 'Ctrl',
      shift: 'Shift',
      alt: 'Alt',
      enter: 'Enter',
      escape: 'Esc',
      up: '↑',
      down: '↓',
      left: '←',
      right: '→',
    }

/** A shortcut in the platform's notation: `e`, `mod+enter`, or a sequence: `g m`. */
export function KeyHint(props: { keys: string }) {
  return (
    <span class="key-hint" aria-hidden="true">
      <For each={keysOf(props.keys)}>{(key) => <kbd>{key}</kbd>}</For>
    </span>
  )
}

/** The same shortcut for `aria-keyshortcuts`. */
export function keyShortcut(keys: string): string {
  const names: Record<string, string> = {
    mod: IS_APPLE ? 'Meta' : 'Control',
    shift: 'Shift',
    enter: 'Enter',
    escape: 'Escape',
    left: 'ArrowLeft',
    right: 'ArrowRight',
  }
  return keys.replace(/[a-z]{2,}/g, (name) => names[name] ?? name).replace(/^\p{Lu}$/u, 'Shift+$&')
}

/** Letters are written as on the key caps: `e` is "E", and `E`, typed with shift, is "⇧E". */
function keysOf(keys: string): string[] {
  return keys.split(/[ +](?=.)/).map((key) => {
    const isShifted = /^\p{Lu}$/u.test(key)
    return NAMES[key] ?? (isShifted ? `⇧${key}` : key.toUpperCase())
  })
}
