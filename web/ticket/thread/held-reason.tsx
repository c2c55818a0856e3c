import { Match, Show, Switch } from 'solid-js'
import { timeOfId } from '../../api/create-id.ts'
import { RelativeTime } from '../../ui/relative-time.tsx'
import type { TicketDetail, WaitingReply } from '../ticket-query.ts'

interface HeldReasonProps {
  detail: TicketDetail
  reply: WaitingReply
}

/** Why a reply is held. Another agent's reply is above it in the thread. */
export function HeldReason(props: HeldReasonProps) {
  return (
    <Switch fallback={<ConcurrentReply {...props} />}>
      <Match when={props.reply.heldBecause === 'disabled'}>
        <p class="held-reason">
          Not sent: {props.reply.agentName} is disabled. You can send it under your name.
        </p>
      </Match>
      <Match when={props.reply.heldBecause === 'too_long'}>
        <p class="held-reason">
          Not sent: too long to merge with your current draft. Send or shorten that first.
        </p>
      </Match>
    </Switch>
  )
}

/** "Cy replied just now". */
function ConcurrentReply(props: HeldReasonProps) {
  const other = () => newestOther(props.reply, props.detail)
  return (
    <Show when={other()} fallback={<p class="held-reason">A colleague just replied.</p>}>
      {(reply) => (
        <p class="held-reason">
          {reply().agentId === props.reply.agentId
            ? 'You replied in another tab'
            : `${reply().agentName ?? 'A colleague'} replied`}{' '}
          <RelativeTime at={reply().at} isLong />
        </p>
      )}
    </Show>
  )
}

interface OtherReply {
  at: string
  agentId?: string | undefined
  agentName?: string | undefined
}

/** The newest reply of someone else, or an earlier one of the same agent, which may wait itself. */
function newestOther(reply: WaitingReply, { timeline, waiting }: TicketDetail): OtherReply | undefined {
  const isOther = (id: string, agentId: string | undefined) => agentId !== reply.agentId || id < reply.id
  const sent = timeline.flatMap((entry): OtherReply[] => {
    const isReply = entry.kind === 'message' && entry.role === 'agent' && isOther(entry.id, entry.agentId)
    return isReply ? [{ ...entry, at: entry.createdAt }] : []
  })
  const queued = waiting.flatMap((one): OtherReply[] => {
    const isQueued = one.id !== reply.id && !one.isHeld && one.agentId === reply.agentId && one.id < reply.id
    return isQueued ? [{ ...one, at: new Date(timeOfId(one.id)).toISOString() }] : []
  })
  return queued.at(-1) ?? sent.at(-1)
}
