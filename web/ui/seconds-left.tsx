import { createSignal, onCleanup } from 'solid-js'
import './toaster.css'

const TICK_MS = 250

/** "8 s", counting down to zero, and never more than is left. Hidden from screen readers, which would read every second. */
export function SecondsLeft(props: { until: number }) {
  const [now, setNow] = createSignal(Date.now())
  const timer = setInterval(() => setNow(Date.now()), TICK_MS)
  onCleanup(() => clearInterval(timer))
  return (
    <span class="seconds-left" aria-hidden="true">
      {Math.max(0, Math.floor((props.until - now()) / 1_000))} s
    </span>
  )
}
