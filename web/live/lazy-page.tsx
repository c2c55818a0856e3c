import CloudOff from 'lucide-solid/icons/cloud-off'
import { lazy, onCleanup, onMount } from 'solid-js'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

const LOOK_EVERY_MS = 3_000
/** A reload that did not help is not repeated at once. */
const LEAST_BETWEEN_RELOADS_MS = 120_000
const RELOADED_AT = 'bellhop.reloadedAt'

type AnyComponent = Awaited<ReturnType<Parameters<typeof lazy>[0]>>['default']

/** A part of the pages that is loaded when it is wanted, and says so in its place when that fails. */
export function part<Part extends AnyComponent>(load: () => Promise<{ default: Part }>) {
  return lazy<Part | typeof MissingPart>(() => load().catch(() => ({ default: MissingPart })))
}

/**
 * The server is away, or a newer version was started and has other files. A browser may remember that a file could not
 * be loaded, so the way to it is to begin again: as soon as the server answers, and not before.
 */
function MissingPart() {
  onMount(() => {
    void look()
    const timer = setInterval(look, LOOK_EVERY_MS)
    onCleanup(() => clearInterval(timer))
  })
  return (
    <div role="alert">
      <EmptyState
        icon={<CloudOff />}
        title="This page could not be loaded"
        text="It comes by itself as soon as the server can be reached."
        action={<Button onClick={() => void look(true)}>Try again</Button>}
      />
    </div>
  )
}

async function look(isAsked = false): Promise<void> {
  const isOld = Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) > LEAST_BETWEEN_RELOADS_MS
  if (!(isAsked || isOld) || !(await isServerThere())) return
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  location.reload()
}

async function isServerThere(): Promise<boolean> {
  const answer = await fetch('/health/live', { cache: 'no-store' }).catch(() => undefined)
  return answer?.ok ?? false
}
