import { createMemo, Show } from 'solid-js'
import { presenceOf } from '../../live/live.ts'
import { initialsOf } from '../../ui/avatar.tsx'

interface RowPresenceProps {
  ticketId: string
  names: ReadonlyMap<string, string>
}

/** A ring when a colleague has the ticket open, amber while they write. */
export function RowPresence(props: RowPresenceProps) {
  const here = createMemo(() => presenceOf(props.ticketId))
  /** Who writes matters more than who looks. */
  const first = createMemo(() => here().find(({ state }) => state === 'replying') ?? here()[0])
  return (
    <Show when={first()}>
      {(one) => {
        const name = () => props.names.get(one().agentId) ?? 'A colleague'
        const what = () => `${name()} is ${one().state === 'replying' ? 'writing a reply' : 'looking at it'}`
        return (
          <span class="row-presence" data-state={one().state} role="img" aria-label={what()} title={what()}>
            {initialsOf(name())}
          </span>
        )
      }}
    </Show>
  )
}
