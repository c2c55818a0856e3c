import MapPinOff from 'lucide-solid/icons/map-pin-off'
import { EmptyState } from '../ui/empty-state.tsx'

/** What stands on a page of one thing, such as an endpoint, when there is no such thing. */
export function NotFound(props: { text: string }) {
  return (
    <EmptyState
      icon={<MapPinOff />}
      title="There is nothing here"
      text={props.text}
      action={<a href="/inbox">Go to the inbox</a>}
    />
  )
}
