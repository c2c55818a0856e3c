import Ban from 'lucide-solid/icons/ban'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CircleX from 'lucide-solid/icons/circle-x'
import Clock from 'lucide-solid/icons/clock'
import SendHorizontal from 'lucide-solid/icons/send-horizontal'
import type { Component } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { Badge, type Tone } from '../../ui/badge.tsx'
import type { DeliveryState } from './delivery-data.ts'

interface Shown {
  word: string
  /** What it means, where there is room. */
  hint: string
  tone: Tone
  icon: Component<{ size?: number }>
}

export const STATE_WORDS: Record<DeliveryState, Shown> = {
  pending: { word: 'Waiting', hint: 'Its first attempt or a retry is due', tone: 'amber', icon: Clock },
  in_flight: { word: 'Sending', hint: 'On its way at this moment', tone: 'accent', icon: SendHorizontal },
  held: { word: 'Held', hint: 'Its endpoint is off', tone: 'grey', icon: CirclePause },
  succeeded: { word: 'Delivered', hint: 'The endpoint took it', tone: 'green', icon: CircleCheck },
  failed: { word: 'Failed', hint: 'No retry is left', tone: 'red', icon: CircleX },
  cancelled: { word: 'Cancelled', hint: 'Its endpoint was deleted', tone: 'grey', icon: Ban },
}

/** The state of a delivery by word, icon and colour. */
export function DeliveryStateBadge(props: { state: DeliveryState }) {
  const shown = () => STATE_WORDS[props.state]
  return (
    <Badge tone={shown().tone} title={shown().hint}>
      <Dynamic component={shown().icon} size={12} />
      {shown().word}
    </Badge>
  )
}
