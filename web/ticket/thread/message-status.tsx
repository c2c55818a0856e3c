import Check from 'lucide-solid/icons/check'
import Clock from 'lucide-solid/icons/clock'
import { Match, Show, Switch } from 'solid-js'
import { Time } from '../../ui/relative-time.tsx'
import type { ReplyDestination, TicketDetail } from '../ticket-query.ts'
import { ThreadParts } from './thread-parts.tsx'
import type { MessageOrNote } from './thread-rows.ts'
import { clockTime } from './times.ts'

interface MessageStatusProps {
  entry: MessageOrNote
  ticketId: string
  /** Why a reply to the ticket can't leave now. */
  problem: ReplyDestination['problem']
  /** The page of the visitor shows it, whatever happens to an email. */
  isInChat: boolean
  /** When the visitor saw it, if it is the newest that they saw. */
  seen: TicketDetail['seen']
  /** A later message says that this one was sent too: the next of the group, or the newest that the visitor saw. */
  isSaidBelow: boolean
}

/** Whether an agent's message has reached the customer. mail/failed-send.tsx shows a failure. */
export function MessageStatus(props: MessageStatusProps) {
  const message = () => (props.entry.kind === 'message' ? props.entry : undefined)
  const sending = () => message()?.sending
  const isEmailed = () => props.isInChat && message()?.role === 'agent' && message()?.email !== undefined
  const isSaid = () => !props.isSaidBelow || isEmailed() || props.seen
  const failed = () => {
    const known = message()
    const hasFailed = sending() === 'failed' || sending() === 'bounced'
    return hasFailed || known?.missed?.length ? known : undefined
  }
  return (
    <Switch>
      <Match when={failed()}>
        {(message) => (
          <ThreadParts.FailedSend
            message={message()}
            ticketId={props.ticketId}
            isInChat={props.isInChat}
            problem={props.problem}
          />
        )}
      </Match>
      <Match when={sending() === 'sent' && isSaid() && !message()?.takenBackAt}>
        <p class="message-status">
          <Check />
          <span>
            <Show when={props.seen} fallback={isEmailed() ? 'Also sent by email' : 'Sent'}>
              {(seen) => (
                <>
                  <Time at={seen().at}>Seen</Time>
                  {isEmailed() && ' · Also sent by email'}
                </>
              )}
            </Show>
          </span>
        </p>
      </Match>
      <Match when={sending() === 'queued' && message()}>
        {(message) => (
          <p class="message-status" data-blocked={message().sendError ? '' : undefined}>
            <Clock />
            <Show when={message().sendError} fallback={isEmailed() ? 'Email queued' : 'Queued'}>
              {(reason) => (
                <span>
                  Not sent yet: {reason()} <RetryTime at={message().retryAt} />
                  <ThreadParts.SettingsLink problem={props.problem} />
                </span>
              )}
            </Show>
          </p>
        )}
      </Match>
      <Match when={sending() === 'sending'}>
        <p class="message-status">
          <Clock />
          Sending…
        </p>
      </Match>
    </Switch>
  )
}

function RetryTime(props: { at: string | undefined }) {
  return (
    <Show when={props.at}>
      {(at) => (
        <>
          Next attempt at <Time at={at()}>{clockTime(at())}</Time>.{' '}
        </>
      )}
    </Show>
  )
}
