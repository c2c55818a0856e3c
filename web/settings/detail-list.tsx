import { For, type JSX } from 'solid-js'
import './detail-list.css'

/** Names and values, one pair per line. */
export function DetailList(props: { items: readonly { name: string; value: JSX.Element }[] }) {
  return (
    <dl class="detail-list">
      <For each={props.items}>
        {(item) => (
          <div>
            <dt>{item.name}</dt>
            <dd>{item.value}</dd>
          </div>
        )}
      </For>
    </dl>
  )
}
