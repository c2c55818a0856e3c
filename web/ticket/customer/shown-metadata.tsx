import { For } from 'solid-js'
import type { TicketDetail } from '../ticket-query.ts'

/** The texts of metadata that the settings chose, as rows of a list of facts. */
export function ShownMetadata(props: { texts: TicketDetail['shownMetadata'] }) {
  return (
    <For each={props.texts}>
      {({ key, value }) => (
        <div>
          <dt>{key}</dt>
          <dd>{value}</dd>
        </div>
      )}
    </For>
  )
}
