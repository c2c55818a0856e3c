import { createEffect, onCleanup } from 'solid-js'

let isMeant = false

/**
 * While something typed is nowhere else, the browser asks in its own words before it closes or reloads the tab. Nothing
 * is kept for that: a password stays in its field.
 */
export function askBeforeLeaving(isUnsaved: () => boolean): void {
  createEffect(() => {
    if (!isUnsaved()) return
    addEventListener('beforeunload', ask)
    onCleanup(() => removeEventListener('beforeunload', ask))
  })
}

/** Loads another page without a question: whoever is at this one may not stay. */
export function leaveUnasked(go: () => void): void {
  isMeant = true
  go()
}

function ask(event: BeforeUnloadEvent): void {
  if (!isMeant) event.preventDefault()
}
