import { For } from 'solid-js'
import './empty-state.css'

interface SkeletonProps {
  /** Number of lines. Their widths vary, like text. */
  lines?: number
  /** What is loading, for screen readers. */
  label?: string
}

/** Gray lines in place of loading content. They appear after 150 ms: most responses are faster. */
export function Skeleton(props: SkeletonProps) {
  return (
    <div class="skeleton is-late" role="status" aria-label={props.label ?? 'Loading'}>
      <For each={Array.from({ length: props.lines ?? 3 })}>{() => <span class="skeleton-line" />}</For>
    </div>
  )
}
