import type { JSX } from 'solid-js'
import './badge.css'

/** Green: open, sent or healthy. Amber: waiting. Red: failed. Grey: done or neutral. Accent: selected. */
export type Tone = 'green' | 'amber' | 'red' | 'grey' | 'accent'

/** A short label: a state, a role, a tag. */
export function Badge(props: { tone?: Tone; children: JSX.Element; title?: string }) {
  return (
    <span class="badge" data-tone={props.tone ?? 'grey'} title={props.title}>
      {props.children}
    </span>
  )
}

/** A colored dot before a word. With `label` it is used alone and read by screen readers. */
export function StatusDot(props: { tone: Tone; label?: string }) {
  return (
    <span
      class="badge-dot"
      data-tone={props.tone}
      role="img"
      aria-label={props.label}
      aria-hidden={props.label ? undefined : true}
      title={props.label}
    />
  )
}
