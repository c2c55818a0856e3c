import { createMemo, createSignal, type JSX, onCleanup } from 'solid-js'

export const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** All times on the page change together, so that it is painted once. */
const TICK_MS = 15_000

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' })
const DAY = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })
const DAY_OF_YEAR = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', year: 'numeric' })

const [now, setNow] = createSignal(Date.now())

/** Changes every few seconds while a relative time is on the page. */
export { now }

let shownCount = 0
let timer: ReturnType<typeof setInterval> | undefined

interface RelativeTimeProps {
  /** ISO 8601, as the server sends it. */
  at: string
  /** "4 minutes ago" instead of "4m". */
  isLong?: boolean
  /** The tooltip, instead of the exact time. */
  title?: string
}

/** How long ago something was, kept up to date. The exact time is in the tooltip. */
export function RelativeTime(props: RelativeTimeProps) {
  keepTicking()
  const text = createMemo(() => (props.isLong ? longTime : shortTime)(Date.parse(props.at), now()))
  return (
    <Time at={props.at} title={props.title}>
      {text()}
    </Time>
  )
}

/** A time in the given words. The exact time is in the tooltip. */
export function Time(props: {
  at: string
  class?: string
  title?: string | undefined
  children: JSX.Element
}) {
  return (
    <time class={props.class} datetime={props.at} title={props.title ?? exactTime(props.at)}>
      {props.children}
    </time>
  )
}

/** "Saturday 21 November 2026 at 17:16:02", in the language and time zone of the browser. */
export function exactTime(at: string): string {
  return EXACT.format(new Date(at))
}

/** "4 min", "3 h", "2 d". */
export function duration(ago: number): string {
  if (ago < HOUR_MS) return `${Math.floor(ago / MINUTE_MS)} min`
  return ago < DAY_MS ? `${Math.floor(ago / HOUR_MS)} h` : `${Math.floor(ago / DAY_MS)} d`
}

/** "now", "4m", "3h", "2d", "12 Nov", "12 Nov 2025". */
function shortTime(at: number, from: number): string {
  const ago = Math.abs(from - at)
  if (ago < MINUTE_MS) return 'now'
  const sign = at > from ? 'in ' : ''
  if (ago < HOUR_MS) return `${sign}${Math.floor(ago / MINUTE_MS)}m`
  if (ago < DAY_MS) return `${sign}${Math.floor(ago / HOUR_MS)}h`
  if (ago < 7 * DAY_MS) return `${sign}${Math.floor(ago / DAY_MS)}d`
  return dayOf(at, from)
}

/** "just now", "4 minutes ago", "in 3 hours", "on 12 Nov". */
function longTime(at: number, from: number): string {
  const ago = Math.abs(from - at)
  if (ago < MINUTE_MS) return 'just now'
  if (ago >= 7 * DAY_MS) return `on ${dayOf(at, from)}`
  const [length, unit] =
    ago < HOUR_MS ? [MINUTE_MS, 'minute'] : ago < DAY_MS ? [HOUR_MS, 'hour'] : [DAY_MS, 'day']
  const count = Math.floor(ago / Number(length))
  const words = `${count} ${unit}${count === 1 ? '' : 's'}`
  return at > from ? `in ${words}` : `${words} ago`
}

function dayOf(at: number, from: number): string {
  const isThisYear = new Date(at).getFullYear() === new Date(from).getFullYear()
  return (isThisYear ? DAY : DAY_OF_YEAR).format(at)
}

/** `now` changes while the component is on the page. */
export function keepTicking(): void {
  shownCount++
  if (shownCount === 1) {
    setNow(Date.now())
    timer = setInterval(() => setNow(Date.now()), TICK_MS)
  }
  onCleanup(() => {
    shownCount--
    if (shownCount === 0) clearInterval(timer)
  })
}
