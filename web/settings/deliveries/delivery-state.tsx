import Ban from 'lucide-solid/icons/ban'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CircleX from 'lucide-solid/icons/circle-x'
import Clock from 'lucide-solid/icons/clock'
import SendHorizontal from 'lucide-solid/icons/send-horizontal'
import { type ShownState, StateBadge } from '../detail-list.tsx'
import type { DeliveryState } from './delivery-data.ts'

export const DELIVERY_STATES: Record<DeliveryState, ShownState & { hint: string }> = {
  pending: { word: 'Queued', hint: 'Waiting for the next attempt', tone: 'amber', icon: Clock },
  in_flight: { word: 'Sending', hint: 'Sending now', tone: 'accent', icon: SendHorizontal },
  held: { word: 'Held', hint: 'The endpoint is off', tone: 'grey', icon: CirclePause },
  succeeded: { word: 'Delivered', hint: 'Accepted by the endpoint', tone: 'green', icon: CircleCheck },
  failed: { word: 'Failed', hint: 'No retries left', tone: 'red', icon: CircleX },
  cancelled: { word: 'Canceled', hint: 'The endpoint was deleted', tone: 'grey', icon: Ban },
}

/** The state of a delivery as word, icon and color. */
export function DeliveryStateBadge(props: { state: DeliveryState }) {
  return <StateBadge state={DELIVERY_STATES[props.state]} />
}
