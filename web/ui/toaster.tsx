import CircleAlert from 'lucide-solid/icons/circle-alert'
import X from 'lucide-solid/icons/x'
import { createSignal, For, onCleanup, Show } from 'solid-js'
import { Button } from './button.tsx'
import { IconButton } from './icon-button.tsx'
import { SecondsLeft } from './seconds-left.tsx'
import './toaster.css'

const SHOWN_FOR_MS = 6_000
const MOST_SHOWN = 4

interface Toast {
  id: number
  text: string
  /** `error` stays until somebody closes it. */
  look: 'normal' | 'error'
  /** A button: "Undo", "View". It closes the toast. */
  action?: { text: string; keys?: string; run: () => void }
  /** Stays until then, whoever hovers it, and counts the seconds: for what can be taken back only so long. */
  endsAt?: number
}

const [toasts, setToasts] = createSignal<Toast[]>([])
let lastId = 0

/** Says what was done, with a way back, for six seconds. Answers how to close it earlier. */
export function toast(text: string, action?: Toast['action'], endsAt?: number): () => void {
  return add({ text, look: 'normal', action, endsAt })
}

/** Says what went wrong, until it is closed. */
export function toastError(text: string, action?: Toast['action']): () => void {
  return add({ text, look: 'error', action })
}

function add(given: Omit<Toast, 'id'>): () => void {
  const id = ++lastId
  setToasts((before) => [...withRoom(before), { ...given, id }])
  return () => close(id)
}

/** The oldest that would go by itself goes for it; what went wrong stays, and may be the only copy of a text. */
function withRoom(shown: Toast[]): Toast[] {
  const oldest = shown.length < MOST_SHOWN ? undefined : shown.find(({ look }) => look === 'normal')
  return shown.filter((one) => one !== oldest)
}

function close(id: number): void {
  setToasts((before) => before.filter((one) => one.id !== id))
}

/**
 * Where toasts appear; stands once, in routes.tsx. Hovering or focusing one stops its time. An open dialog leaves them
 * to be heard and pressed (`data-kb-top-layer`).
 */
export function Toaster() {
  return (
    <section
      class="toaster"
      data-kb-top-layer=""
      aria-label="Notices"
      aria-live="polite"
      aria-relevant="additions"
    >
      <For each={toasts()}>{(one) => <ToastCard toast={one} />}</For>
    </section>
  )
}

function ToastCard(props: { toast: Toast }) {
  const end = () => close(props.toast.id)
  let timer: ReturnType<typeof setTimeout> | undefined
  const stop = () => clearTimeout(timer)
  const start = () => {
    stop()
    const { look, endsAt } = props.toast
    if (look === 'normal') timer = setTimeout(end, endsAt ? endsAt - Date.now() : SHOWN_FOR_MS)
  }
  start()
  onCleanup(stop)
  return (
    <div
      class="toast"
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
      <p class="toast-text">
        {props.toast.text}
        <Show when={props.toast.endsAt}>{(endsAt) => <SecondsLeft until={endsAt()} />}</Show>
      </p>
      <Show when={props.toast.action}>
        {(action) => (
          <Button
            size="small"
            look="quiet"
            class="toast-action"
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
      <IconButton name="Dismiss" size="small" onClick={end}>
        <X />
      </IconButton>
    </div>
  )
}
