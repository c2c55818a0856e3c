import { onCleanup } from 'solid-js'
import { isField } from '../keys/presses.ts'

const QUIET_MS = 1_000

/** Gives a field the focus once no key has been pressed for a second: what is being typed was meant for another one. */
export function focusWhenQuiet(field: () => HTMLElement | undefined): void {
  let timer = setTimeout(give, QUIET_MS)

  function waitLonger() {
    clearTimeout(timer)
    timer = setTimeout(give, QUIET_MS)
  }

  function give() {
    stop()
    const active = document.activeElement
    if (!active || !isField(active)) field()?.focus()
  }

  function stop() {
    clearTimeout(timer)
    window.removeEventListener('keydown', waitLonger, true)
  }

  window.addEventListener('keydown', waitLonger, true)
  onCleanup(stop)
}
