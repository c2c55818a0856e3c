import type { JSX } from 'solid-js'
import './badge.css'

/** Green is open, sent or healthy; amber waits; red has failed; grey is over or nothing special; accent is chosen. */
export type Tone = 'green' | 'amber' | 'red' | 'grey' | 'accent'

/** A word on a soft ground: a state, a role, a tag. */
export function Badge(props: { tone?: Tone; children: JSX.Element; title?: string }) {
  return (
    <span class="badge" data-tone={props.tone ?? 'grey'} title={props.title}>
      {props.children}
    </span>
  )
}

/** A dot before a word. With `label` it stands alone and is read out. */
export function StatusDot(props: { tone: Tone; label?: string }) {
  return (
    <span
      class="status-dot"
      data-tone={props.tone}
      role="img"
      aria-label={props.label}
      aria-hidden={props.label ? undefined : true}
      title={props.label}
    />
  )
}
