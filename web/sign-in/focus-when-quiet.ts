import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js'
import { isField } from '../keyboard/key-combo.ts'

const QUIET_MS = 1_000
/** Longer than somebody thinks between two words. */
const PAUSE_MS = 1_500

/** Gives a field the focus once no key has been pressed for a second: what is being typed was meant for another one. */
export function focusWhenQuiet(field: () => HTMLElement | undefined): void {
  const stop = whenQuiet(QUIET_MS, () => {
    if (!isInField()) field()?.focus()
  })
  onCleanup(stop)
}

/** Whether it is wanted, and nobody is in the middle of a sentence: a window over the page would swallow the rest of it. */
export function unlessTyping(isWanted: Accessor<boolean>): Accessor<boolean> {
  const [isTime, setTime] = createSignal(false)
  createEffect(() => {
    setTime(false)
    if (!isWanted()) return
    if (isInField()) onCleanup(whenQuiet(PAUSE_MS, () => setTime(true)))
    else setTime(true)
  })
  return () => isWanted() && isTime()
}

function whenQuiet(quietMs: number, run: () => void): () => void {
  let timer = setTimeout(end, quietMs)

  function waitLonger() {
    clearTimeout(timer)
    timer = setTimeout(end, quietMs)
  }

  function end() {
    stop()
    run()
  }

  function stop() {
    clearTimeout(timer)
    window.removeEventListener('keydown', waitLonger, true)
  }

  window.addEventListener('keydown', waitLonger, true)
  return stop
}

function isInField(): boolean {
  return document.activeElement !== null && isField(document.activeElement)
}
