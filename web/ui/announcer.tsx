import { createSignal } from 'solid-js'

const [said, setSaid] = createSignal('')

/** Lets a screen reader say a sentence when it has time: "Ben replied", "12 results". The same one twice is said twice. */
export function announce(text: string): void {
  setSaid('')
  queueMicrotask(() => setSaid(text))
}

/** Where `announce` is heard, also over an open dialog; stands once, in routes.tsx. */
export function Announcer() {
  return (
    <p class="unseen" role="status" aria-live="polite" data-kb-top-layer="">
      {said()}
    </p>
  )
}
