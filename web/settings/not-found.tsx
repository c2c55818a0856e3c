import MapPinOff from 'lucide-solid/icons/map-pin-off'
import { EmptyState } from '../ui/empty-state.tsx'

/** Shown on the page of an item, such as an endpoint, that does not exist. */
export function NotFound(props: { text: string }) {
  return (
    <EmptyState
      icon={<MapPinOff />}
      title="Page not found"
      text={props.text}
      action={<a href="/inbox">Go to inbox</a>}
    />
  )
}
