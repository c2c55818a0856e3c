import { Time } from '../ui/relative-time.tsx'

const SHORT = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** "21 Nov 2026, 17:16:02": for logs, where "an hour ago" is not enough. In the time zone of this browser. */
export function Moment(props: { at: string }) {
  return <Time at={props.at}>{SHORT.format(new Date(props.at))}</Time>
}
