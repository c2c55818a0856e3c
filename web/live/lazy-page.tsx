import CloudOff from 'lucide-solid/icons/cloud-off'
import { lazy, onCleanup, onMount } from 'solid-js'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'

const LOOK_EVERY_MS = 3_000
/** Minimum time between automatic reloads. */
const LEAST_BETWEEN_RELOADS_MS = 120_000
const RELOADED_AT = 'bellhop.reloadedAt'

type AnyComponent = Awaited<ReturnType<Parameters<typeof lazy>[0]>>['default']

/** A page that is loaded when it is first shown. If that fails, a message appears in its place. */
export function lazyPage<Part extends AnyComponent>(load: () => Promise<{ default: Part }>) {
  return lazy<Part | typeof MissingPart>(() => load().catch(() => ({ default: MissingPart })))
}

/**
 * The server is down, or a newer version is running that has other files. A browser may remember that a file failed to
 * load, so the page is reloaded as soon as the server responds.
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
        title="Couldn't load this page"
        text="It will load once the server is back."
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
