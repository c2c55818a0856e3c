import Check from 'lucide-solid/icons/check'
import CircleAlert from 'lucide-solid/icons/circle-alert'
import Clock from 'lucide-solid/icons/clock'
import { createSignal, Match, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { useSession } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { toastError } from '../../ui/toaster.tsx'
import { missingConnection } from '../channel-names.ts'
import { leaveFocusToPane } from '../focus-in-pane.ts'
import { type MessageEntry, readTicketAgain, type Ticket } from '../ticket-query.ts'
import type { MessageOrNote } from './thread-rows.ts'

interface MessageStatusProps {
  entry: MessageOrNote
  ticketId: string
  channel: Ticket['channel']
  /** The next message of the group was sent too, and says so for both. */
  isSentBelow: boolean
}

/** Whether an agent's message has reached the customer. */
export function MessageStatus(props: MessageStatusProps) {
  const message = () => (props.entry.kind === 'message' ? props.entry : undefined)
  const sending = () => message()?.sending
  const failed = () => (sending() === 'failed' || sending() === 'bounced' ? message() : undefined)
  return (
    <Switch>
      <Match when={failed()}>
        {(message) => <FailedMessage message={message()} ticketId={props.ticketId} />}
      </Match>
      <Match when={sending() === 'sent' && !props.isSentBelow}>
        <p class="message-status">
          <Check />
          Sent
        </p>
      </Match>
      <Match when={sending() === 'queued' && missingConnection(props.channel)}>
        {(missing) => <NotConnected {...missing()} />}
      </Match>
      <Match when={sending() === 'queued'}>
        <p class="message-status">
          <Clock />
          Queued
        </p>
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

/** Only administrators can open the settings of a channel. */
function NotConnected(props: { reason: string; settingsHref: string }) {
  const session = useSession()
  return (
    <p class="message-status" data-blocked>
      <CircleAlert />
      <span>
        Not sent: {props.reason}.{' '}
        <Show when={session().agent.role === 'admin'} fallback="Ask an administrator to connect it.">
          <a href={props.settingsHref}>Open settings</a>
        </Show>
      </span>
    </p>
  )
}

function FailedMessage(props: { message: MessageEntry; ticketId: string }) {
  const [isBusy, setBusy] = createSignal(false)
  let strip: HTMLDivElement | undefined
  leaveFocusToPane(() => strip)
  const hasBounced = () => props.message.sending === 'bounced'
  async function retry() {
    setBusy(true)
    await retryMessage(props.ticketId, props.message.id)
    setBusy(false)
  }
  return (
    <div class="message-status-failed" role="alert" ref={strip}>
      <CircleAlert />
      <p>
        <strong>{hasBounced() ? 'Bounced' : 'Not sent'}</strong>
        <Show when={props.message.sendError}>{(reason) => <> · {reason()}</>}</Show>
      </p>
      <Show when={!hasBounced()}>
        <Button size="small" isBusy={isBusy()} onClick={retry}>
          Retry
        </Button>
      </Show>
      <CopyButton text={props.message.text} name="Copy text" />
    </div>
  )
}

async function retryMessage(ticketId: string, id: string): Promise<void> {
  try {
    await ask(api.console.messages({ id }).retry.post())
  } catch (error) {
    toastError(errorMessage(error))
  }
  void readTicketAgain(ticketId)
}
