import { type Accessor, createEffect, createSignal, onCleanup } from 'solid-js'
import { isField } from '../keyboard/key-combo.ts'

const QUIET_MS = 1_000
/** Longer than a pause between two words. */
const PAUSE_MS = 1_500

/** Focuses a field once no key has been pressed for a second. Until then, keys are meant for another field. */
export function focusWhenQuiet(field: () => HTMLElement | undefined): void {
  const stop = whenQuiet(QUIET_MS, () => {
    if (!isInField()) field()?.focus()
  })
  onCleanup(stop)
}

/** True once it is requested and the user has stopped typing. A dialog would swallow the rest of the sentence. */
export function unlessTyping(isRequested: Accessor<boolean>): Accessor<boolean> {
  const [isReady, setReady] = createSignal(false)
  createEffect(() => {
    setReady(false)
    if (!isRequested()) return
    if (isInField()) onCleanup(whenQuiet(PAUSE_MS, () => setReady(true)))
    else setReady(true)
  })
  return () => isRequested() && isReady()
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
