import ChevronRight from 'lucide-solid/icons/chevron-right'
import { For } from 'solid-js'
import './disclosure.css'
import './headers.css'

/** Headers of a request or response. Closed at first. */
export function Headers(props: { label: string; headers: Record<string, string> }) {
  const entries = () => Object.entries(props.headers)
  return (
    <details class="disclosure headers">
      <summary>
        <ChevronRight class="disclosure-mark" />
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
