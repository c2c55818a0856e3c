import type { Component } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { Badge, type Tone } from '../ui/badge.tsx'

/** How the state of a mailbox, bot, or widget is shown. */
export interface ShownState {
  word: string
  tone: Tone
  icon: Component<{ size?: number }>
}

export function StateBadge(props: { state: ShownState }) {
  return (
    <Badge tone={props.state.tone}>
      <Dynamic component={props.state.icon} size={12} />
      {props.state.word}
    </Badge>
  )
}
