import { createEffect, onCleanup } from 'solid-js'

let isWarningOff = false

/** While there is unsaved text, the browser asks before it closes or reloads the tab. The text isn't stored. */
export function askBeforeLeaving(isUnsaved: () => boolean): void {
  createEffect(() => {
    if (!isUnsaved()) return
    addEventListener('beforeunload', warn)
    onCleanup(() => removeEventListener('beforeunload', warn))
  })
}

/** Runs `go`, which loads another page, without that warning. For an agent whose session has ended. */
export function leaveWithoutWarning(go: () => void): void {
  isWarningOff = true
  go()
}

function warn(event: BeforeUnloadEvent): void {
  if (!isWarningOff) event.preventDefault()
}
