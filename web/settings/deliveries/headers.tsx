import ChevronRight from 'lucide-solid/icons/chevron-right'
import { For } from 'solid-js'

/** Headers of a request or response. Closed at first. */
export function Headers(props: { label: string; headers: Record<string, string> }) {
  const entries = () => Object.entries(props.headers)
  return (
    <details class="headers">
      <summary>
        <ChevronRight class="fold-mark" />
        {props.label} <span class="muted">({entries().length})</span>
      </summary>
      <dl>
        <For each={entries()}>
          {([name, value]) => (
            <div>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          )}
        </For>
      </dl>
    </details>
  )
}
