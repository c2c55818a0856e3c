import CloudOff from 'lucide-solid/icons/cloud-off'
import { type Component, createEffect, createMemo, lazy, onCleanup, onMount, Show } from 'solid-js'
import { Button } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { toastError } from '../ui/toaster.tsx'

const CHECK_EVERY_MS = 3_000
/** The minimum time between automatic reloads. */
const MIN_RELOAD_INTERVAL_MS = 120_000
const RELOADED_AT = 'bellhop.reloadedAt'

type AnyComponent = Awaited<ReturnType<Parameters<typeof lazy>[0]>>['default']

/** A page that is loaded when it is first shown. If that fails, a message appears in its place. */
export function lazyPage<Page extends AnyComponent>(load: () => Promise<{ default: Page }>) {
  return lazy<Page | typeof MissingPage>(() => load().catch(() => ({ default: MissingPage })))
}

/** A dialog that is loaded when it is first opened. If that fails, it says so instead of opening. */
export function lazyDialog<Props extends DialogProps>(
  load: () => Promise<{ default: Component<Props> }>,
): Component<Props> {
  const Loaded = lazy<Component<Props>>(() => load().catch(() => ({ default: MissingDialog })))
  return (props) => {
    // Stays once it was open, so that closing it can return the focus.
    const wasOpen = createMemo<boolean>((before) => before || props.isOpen, false)
    return (
      <Show when={wasOpen()}>
        <Loaded {...props} />
      </Show>
    )
  }
}

/** A part of a page that is loaded when it is first shown, with what is shown if that fails. */
export function lazyPart<Props extends object>(
  load: () => Promise<Component<Props>>,
  fallback: Component<Props> = () => null,
) {
  return lazy<Component<Props>>(() =>
    load().then(
      (part) => ({ default: part }),
      () => ({ default: fallback }),
    ),
  )
}

interface DialogProps {
  isOpen: boolean
  onClose: () => void
}

function MissingDialog(props: DialogProps) {
  createEffect(() => {
    if (!props.isOpen) return
    toastError("Couldn't load this. Check your connection, then reload the page.")
    props.onClose()
  })
  return null
}

/**
 * The server is down, or a newer version is running that has other files. A browser may remember that a file failed to
 * load, so the page is reloaded as soon as the server responds.
 */
function MissingPage() {
  onMount(() => {
    void reloadIfServerIsUp()
    const timer = setInterval(reloadIfServerIsUp, CHECK_EVERY_MS)
    onCleanup(() => clearInterval(timer))
  })
  return (
    <div role="alert">
      <EmptyState
        icon={<CloudOff />}
        title="Couldn't load this page"
        text="It will load once the server is back."
        action={<Button onClick={() => void reloadIfServerIsUp(true)}>Try again</Button>}
      />
    </div>
  )
}

async function reloadIfServerIsUp(isAsked = false): Promise<void> {
  const isAllowed = Date.now() - Number(sessionStorage.getItem(RELOADED_AT)) > MIN_RELOAD_INTERVAL_MS
  if (!(isAsked || isAllowed) || !(await isServerUp())) return
  sessionStorage.setItem(RELOADED_AT, String(Date.now()))
  location.reload()
}

async function isServerUp(): Promise<boolean> {
  const response = await fetch('/health/live', { cache: 'no-store' }).catch(() => undefined)
  return response?.ok ?? false
}
