import { Time } from '../ui/relative-time.tsx'

const WITH_SECONDS = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
const SHORT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** "21 Nov 2026, 17:16:02", for logs, in the time zone of this browser. */
export function Timestamp(props: { at: string }) {
  return <Time at={props.at}>{WITH_SECONDS.format(new Date(props.at))}</Time>
}

/** "21 Nov 2026, 17:16", for deadlines, in the time zone of this browser. */
export function shortTime(at: string): string {
  return SHORT.format(new Date(at))
}
