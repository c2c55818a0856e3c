import CircleCheck from 'lucide-solid/icons/circle-check'
import CircleDashed from 'lucide-solid/icons/circle-dashed'
import CirclePause from 'lucide-solid/icons/circle-pause'
import CircleX from 'lucide-solid/icons/circle-x'
import { type ShownState, StateBadge } from '../state-badge.tsx'
import type { Widget } from './widget-data.ts'

const STATES: Record<Widget['state'], ShownState> = {
  active: { word: 'Active', tone: 'green', icon: CircleCheck },
  paused: { word: 'Paused', tone: 'grey', icon: CirclePause },
  disabled: { word: 'Key revoked', tone: 'red', icon: CircleX },
}
const UNSEEN: ShownState = { word: 'Not seen yet', tone: 'amber', icon: CircleDashed }

/** The state of a widget as word, icon and color. */
export function WidgetState(props: { widget: Widget }) {
  const isUnseen = () => props.widget.state === 'active' && props.widget.seen === null
  const shown = () => (isUnseen() ? UNSEEN : STATES[props.widget.state])
  return <StateBadge state={shown()} />
}
