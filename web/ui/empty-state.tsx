import { type JSX, Show } from 'solid-js'
import './empty-state.css'

interface EmptyStateProps {
  icon?: JSX.Element
  title: string
  /** What will appear here, and how. */
  text?: JSX.Element
  /** A button that creates the first item. */
  action?: JSX.Element
}

/** Shown in place of an empty list. */
export function EmptyState(props: EmptyStateProps) {
  return (
    <div class="empty-state">
      {props.icon}
      <p class="empty-state-title">{props.title}</p>
      <Show when={props.text}>
        <p class="empty-state-text">{props.text}</p>
      </Show>
      <Show when={props.action}>
        <div class="empty-state-action">{props.action}</div>
      </Show>
    </div>
  )
}
