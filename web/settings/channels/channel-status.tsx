import type { JSX } from 'solid-js'
import { StatusDot } from '../../ui/badge.tsx'

/** Says honestly that a channel is not connected, and what it will do. */
export function NotConnected(props: { children: JSX.Element }) {
  return (
    <div class="card channel-status">
      <p class="entry-title">
        <StatusDot tone="grey" />
        Not connected
      </p>
      <p class="muted">{props.children}</p>
    </div>
  )
}
