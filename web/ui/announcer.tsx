import { createSignal } from 'solid-js'

const [text, setText] = createSignal('')

/** Announces text politely to screen readers: "Ben replied", "12 results". Repeated text is announced again. */
export function announce(message: string): void {
  setText('')
  queueMicrotask(() => setText(message))
}

/** The live region of `announce`, also over an open dialog. Rendered once, in routes.tsx. */
export function Announcer() {
  return (
    <p class="unseen" role="status" aria-live="polite" data-kb-top-layer="">
      {text()}
    </p>
  )
}
