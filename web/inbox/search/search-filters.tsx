import { For } from 'solid-js'
import { SEARCH_KEYS } from './suggestions.ts'
import '../list/list-pane.css'

/** The filters of a search, below its empty result. */
export function SearchFilters() {
  return (
    <dl class="list-states-filters">
      <For each={SEARCH_KEYS}>
        {({ text, detail }) => (
          <div>
            <dt>
              <code>{text}</code>
            </dt>
            <dd>{detail}</dd>
          </div>
        )}
      </For>
    </dl>
  )
}
