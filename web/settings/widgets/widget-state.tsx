import CircleCheck from 'lucide-solid/icons/circle-check'
import CircleDashed from 'lucide-solid/icons/circle-dashed'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CircleX from 'lucide-solid/icons/circle-x'
import type { Component } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { Badge, type Tone } from '../../ui/badge.tsx'
import type { Widget } from './widget-data.ts'

interface Shown {
  word: string
  tone: Tone
  icon: Component<{ size?: number }>
}

const STATES: Record<Widget['state'], Shown> = {
  active: { word: 'Active', tone: 'green', icon: CircleCheck },
  paused: { word: 'Paused', tone: 'grey', icon: CirclePause },
  disabled: { word: 'Key revoked', tone: 'red', icon: CircleX },
}
const UNSEEN: Shown = { word: 'Not seen yet', tone: 'amber', icon: CircleDashed }

/** The state of a widget as word, icon and color. */
export function WidgetState(props: { widget: Widget }) {
  const isUnseen = () => props.widget.state === 'active' && props.widget.seen === null
  const shown = () => (isUnseen() ? UNSEEN : STATES[props.widget.state])
  return (
    <Badge tone={shown().tone}>
      <Dynamic component={shown().icon} size={12} />
      {shown().word}
    </Badge>
  )
}
