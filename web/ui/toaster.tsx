import CircleAlert from 'lucide-solid/icons/circle-alert'
import X from 'lucide-solid/icons/x'
import { createEffect, createSignal, For, onCleanup, Show } from 'solid-js'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import { SecondsLeft } from './seconds-left.tsx'
import './toaster.css'

const SHOWN_FOR_MS = 6_000
const ERROR_SHOWN_FOR_MS = 8_000
/** How soon a toast that something covers tries to end again. */
const COVERED_MS = 1_000
/** How long it is shown at least after that. */
const UNCOVERED_MS = 3_000
const MAX_TOASTS = 4
/** What lies over toasts. */
const COVERS = '.dialog, .image-viewer, .overlay, .drawer'

interface Toast {
  id: number
  text: string
  look: 'normal' | 'error'
  /** A button, such as "Undo" or "View". It closes the toast. */
  action?: { text: string; keys?: string; run: () => void }
  /** Another button, beside it. */
  other?: { text: string; run: () => void }
  /** Closes the toast then and counts the seconds down, even while it is hovered. Milliseconds since 1970. */
  endsAt?: number
}

const [toasts, setToasts] = createSignal<Toast[]>([])
let lastId = 0

/** Says what was done, for six seconds. Returns how to close it earlier. */
export function toast(
  text: string,
  action?: Toast['action'],
  { endsAt, other }: Pick<Toast, 'endsAt' | 'other'> = {},
): () => void {
  return add({ text, look: 'normal', action, endsAt, other })
}

/**
 * Says what went wrong: with a button until it is closed, otherwise until its cause is gone (the same works, or the server
 * is back), another ticket is open, or eight seconds have passed.
 */
export function toastError(text: string, action?: Toast['action'], other?: Toast['other']): () => void {
  return add({ text, look: 'error', action, other })
}

function add(given: Omit<Toast, 'id'>): () => void {
  const id = ++lastId
  // What works now makes an earlier failure old news.
  if (given.look === 'normal') closeErrors()
  setToasts((before) => [...makeRoom(before.filter((one) => !isRepeated(one, given))), { ...given, id }])
  return () => close(id)
}

/** The same words without a button of their own, such as "Saved." after each of several changes, need to be shown once. */
function isRepeated(shown: Toast, { text, look, action }: Omit<Toast, 'id'>): boolean {
  return look === 'normal' && shown.look === 'normal' && shown.text === text && !shown.action && !action
}

/** Drops the oldest message of what was done. */
function makeRoom(shown: Toast[]): Toast[] {
  const oldest = shown.length < MAX_TOASTS ? undefined : shown.find(({ look }) => look === 'normal')
  return shown.filter((one) => one !== oldest)
}

/** Closes errors whose cause is gone. Those with a button stay: one may hold the only copy of a text. */
export function closeErrors(): void {
  setToasts((before) => before.filter(({ look, action }) => look === 'normal' || action !== undefined))
}

function close(id: number): void {
  setToasts((before) => before.filter((one) => one.id !== id))
}

/**
 * Where toasts appear. Rendered once, in routes.tsx. Only the newest is shown, with a button for the others. Hovering or
 * focusing a toast stops its time. `data-kb-top-layer` keeps toasts usable beside an open dialog, which they never cover.
 */
export function Toaster() {
  const [isExpanded, setExpanded] = createSignal(false)
  const olderCount = () => Math.max(toasts().length - 1, 0)
  createEffect(() => {
    if (olderCount() === 0) setExpanded(false)
  })
  return (
    <section
      class="toaster"
      data-kb-top-layer=""
      data-expanded={isExpanded() || undefined}
      aria-label="Notifications"
      aria-live="polite"
      aria-relevant="additions"
    >
      <Show when={olderCount() > 0}>
        <button
          type="button"
          class="toaster-more"
          aria-expanded={isExpanded()}
          onClick={() => setExpanded(!isExpanded())}
        >
          {isExpanded() ? 'Show less' : `${olderCount()} more`}
        </button>
      </Show>
      <For each={toasts()}>{(one) => <ToastCard toast={one} />}</For>
    </section>
  )
}

function ToastCard(props: { toast: Toast }) {
  let card: HTMLDivElement | undefined
  const end = () => close(props.toast.id)
  let wasCovered = false
  /** A dialog or a viewer hides it: what was not seen is not over. */
  function endUnlessCovered(): void {
    const box = card?.getBoundingClientRect()
    const over = box && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
    const isCovered = over?.closest(COVERS) != null
    if (isCovered || wasCovered) timer = setTimeout(endUnlessCovered, isCovered ? COVERED_MS : UNCOVERED_MS)
    else end()
    wasCovered = isCovered
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => clearTimeout(timer)
  const start = () => {
    stop()
    const { look, action, endsAt } = props.toast
    if (endsAt) timer = setTimeout(end, endsAt - Date.now())
    else if (look === 'normal') timer = setTimeout(endUnlessCovered, SHOWN_FOR_MS)
    else if (!action) timer = setTimeout(endUnlessCovered, ERROR_SHOWN_FOR_MS)
  }
  start()
  onCleanup(stop)
  return (
    <div
      ref={card}
      class="toaster-toast"
      data-look={props.toast.look}
      role={props.toast.look === 'error' ? 'alert' : undefined}
      onPointerEnter={stop}
      onPointerLeave={start}
      onFocusIn={stop}
      onFocusOut={start}
    >
      <Show when={props.toast.look === 'error'}>
        <CircleAlert aria-label="Error" />
      </Show>
      <p class="toaster-text" title={props.toast.look === 'normal' ? props.toast.text : undefined}>
        {props.toast.text}
      </p>
      <Show when={props.toast.endsAt}>{(endsAt) => <SecondsLeft until={endsAt()} />}</Show>
      <Show when={props.toast.action}>
        {(action) => (
          <Button
            size="small"
            look="quiet"
            class="toaster-action"
            keys={action().keys}
            onClick={() => {
              action().run()
              end()
            }}
          >
            {action().text}
          </Button>
        )}
      </Show>
      <Show when={props.toast.other}>
        {(other) => (
          <Button
            size="small"
            look="quiet"
            class="toaster-action"
            onClick={() => {
              other().run()
              end()
            }}
          >
            {other().text}
          </Button>
        )}
      </Show>
      <IconButton name="Dismiss" size="small" onClick={end}>
        <X />
      </IconButton>
    </div>
  )
}
