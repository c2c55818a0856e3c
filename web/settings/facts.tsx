import { For, type JSX } from 'solid-js'
import './facts.css'

/** Names and values, one pair per line. */
export function Facts(props: { facts: readonly { name: string; value: JSX.Element }[] }) {
  return (
    <dl class="facts">
      <For each={props.facts}>
        {(fact) => (
          <div>
            <dt>{fact.name}</dt>
            <dd>{fact.value}</dd>
          </div>
        )}
      </For>
    </dl>
  )
}
