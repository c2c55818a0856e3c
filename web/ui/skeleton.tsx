import { For } from 'solid-js'
import './skeleton.css'

interface SkeletonProps {
  /** How many lines; each is a little shorter or longer, like text. */
  lines?: number
  /** What is waited for, for screen readers. */
  label?: string
}

/** Grey lines in the place of what is on its way. They appear after 150 ms only: most answers are faster. */
export function Skeleton(props: SkeletonProps) {
  return (
    <div class="skeleton late" role="status" aria-label={props.label ?? 'Loading'}>
      <For each={Array.from({ length: props.lines ?? 3 })}>{() => <span class="skeleton-line" />}</For>
    </div>
  )
}
