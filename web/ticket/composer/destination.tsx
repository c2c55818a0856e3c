import { A } from '@solidjs/router'
import { Match, Show, Switch } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { CHANNEL_NAMES, missingConnection } from '../channel-names.ts'
import type { Ticket } from '../ticket-query.ts'

/** Where a reply goes, or why it can't leave. Only administrators can open the settings of a channel. */
export function Destination(props: { ticket: Ticket }) {
  const session = useSession()
  const channel = () => props.ticket.channel
  return (
    <Switch fallback={CHANNEL_NAMES[channel()]}>
      <Match when={missingConnection(channel())}>
        {(missing) => (
          <>
            Won't be sent: {missing().reason}.{' '}
            <Show when={session().agent.role === 'admin'} fallback="Ask an administrator to connect it.">
              <A href={missing().settingsHref}>Open settings</A>
            </Show>
          </>
        )}
      </Match>
      <Match when={channel() === 'api'}>Sent to your integration (webhook)</Match>
      <Match when={channel() === 'email'}>
        Email to {props.ticket.customer.email ?? props.ticket.customer.name}
      </Match>
    </Switch>
  )
}
