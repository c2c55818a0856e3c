import CircleAlert from 'lucide-solid/icons/circle-alert'
import CircleCheck from 'lucide-solid/icons/circle-check'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CircleX from 'lucide-solid/icons/circle-x'
import TriangleAlert from 'lucide-solid/icons/triangle-alert'
import type { Component } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { Badge, type Tone } from '../../ui/badge.tsx'
import type { Endpoint } from './endpoint-data.ts'

interface Shown {
  word: string
  tone: Tone
  icon: Component<{ size?: number }>
}

/** Whether deliveries go to an endpoint, by word, icon and colour. */
export function EndpointState(props: { endpoint: Endpoint }) {
  const shown = () => shownState(props.endpoint)
  return (
    <Badge tone={shown().tone}>
      <Dynamic component={shown().icon} size={12} />
      {shown().word}
    </Badge>
  )
}

/** Why nothing is sent to it, and what to do; nothing while it is on. */
export function offSentence({ offReason }: Endpoint): string | undefined {
  switch (offReason) {
    case null:
      return undefined
    case 'manual':
      return 'Somebody switched it off. New deliveries wait and are sent when it is switched on again.'
    case 'failing':
      return 'It failed for five days without a break, so it was switched off. Deliveries wait; repair it, try it with a test delivery, and switch it on.'
    case 'gone':
      return 'It answered 410 Gone, which asks to send nothing more, so it was switched off. Deliveries wait until it is switched on.'
  }
}

function shownState({ isOn, offReason, health }: Endpoint): Shown {
  if (!isOn && offReason === 'manual') return { word: 'Off', tone: 'grey', icon: CirclePause }
  if (!isOn && offReason === 'gone') return { word: 'Off: gone', tone: 'red', icon: CircleX }
  if (!isOn) return { word: 'Off after failures', tone: 'red', icon: CircleAlert }
  if (health.failingSince !== null) return { word: 'Failing', tone: 'amber', icon: TriangleAlert }
  return { word: 'On', tone: 'green', icon: CircleCheck }
}
