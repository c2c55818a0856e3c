import { A } from '@solidjs/router'
import MapPinOff from 'lucide-solid/icons/map-pin-off'
import { EmptyState } from './empty-state.tsx'

/** What stands where an address leads nowhere. */
export function NotFound(props: { title?: string; text?: string }) {
  return (
    <EmptyState
      icon={<MapPinOff />}
      title={props.title ?? 'There is nothing here'}
      text={props.text ?? 'The address may be mistyped, or what was here has been deleted.'}
      action={<A href="/inbox">Go to the inbox</A>}
    />
  )
}
