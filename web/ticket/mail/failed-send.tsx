import { createSignal, For, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { lazyPart } from '../../live/lazy-page.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { SettingsLink } from '../composer/reply-problem.tsx'
import { leaveFocusToPane } from '../focus-in-pane.ts'
import type { Recipient } from '../recipients/address-list.ts'
import { type MessageEntry, type ReplyDestination, tryChange } from '../ticket-query.ts'
import './message-recipients.css'

import CircleAlert from 'lucide-solid/icons/circle-alert'

const RecipientField = lazyPart(
  async () => (await import('../recipients/recipient-field.tsx')).RecipientField,
)

/** Of more recipients, one less is listed, and a button for the others. */
const MAX_LISTED = 4

interface FailedSendProps {
  message: MessageEntry
  ticketId: string
  /** The page of the visitor shows it, whatever happens to an email. */
  isInChat: boolean
  /** Why a reply to the ticket can't be sent now. */
  problem: ReplyDestination['problem']
}

/**
 * Who did not get a message, and why. It can be sent again, also to another address. The reasons come from the channel:
 * those of email are in `why-not-sent.ts`.
 */
export function FailedSend(props: FailedSendProps) {
  const [isBusy, setBusy] = createSignal(false)
  const [isAddressing, setAddressing] = createSignal(false)
  let strip: HTMLDivElement | undefined
  leaveFocusToPane(() => strip)
  const missed = () => props.message.missed ?? []
  const [isAll, setAll] = createSignal(false)
  const listed = () =>
    isAll() || missed().length <= MAX_LISTED ? missed() : missed().slice(0, MAX_LISTED - 1)

  async function resend(to?: Recipient[]): Promise<void> {
    setBusy(true)
    const { ticketId: id, message } = props
    const messageOf = api.console.tickets({ id }).messages({ messageId: message.id })
    if (await tryChange(id, () => ask(messageOf.resend.post(to ? { to } : {})))) setAddressing(false)
    setBusy(false)
  }

  return (
    <div class="failed-send" role="alert" ref={strip}>
      <div class="failed-send-line">
        <CircleAlert />
        <div class="failed-send-text">
          <strong>{titleOf(props.message, props.isInChat)}</strong>
          <Show
            when={missed().length > 0}
            fallback={<Show when={props.message.sendError}>{(reason) => <> · {reason()}</>}</Show>}
          >
            <ul class="failed-send-missed">
              <For each={listed()}>
                {({ address, detail }) => (
                  <li>
                    {address}: {detail}
                  </li>
                )}
              </For>
            </ul>
            <Show when={listed().length < missed().length}>
              <button type="button" class="failed-send-more" onClick={() => setAll(true)}>
                and {missed().length - listed().length} more
              </button>
            </Show>
          </Show>{' '}
          {/* A bounce says what is wrong with the address, not with the mailbox. */}
          <SettingsLink problem={props.message.sending === 'failed' ? props.problem : undefined} />
        </div>
        <CopyButton text={props.message.text} name="Copy text" />
      </div>
      <Show
        when={isAddressing()}
        fallback={
          <div class="failed-send-actions">
            <Button size="small" isBusy={isBusy()} onClick={() => void resend()}>
              Send again
            </Button>
            <Show when={props.message.email}>
              <Button size="small" look="quiet" onClick={() => setAddressing(true)}>
                Send to another address…
              </Button>
            </Show>
          </div>
        }
      >
        <OtherAddress isBusy={isBusy()} onSend={resend} onCancel={() => setAddressing(false)} />
      </Show>
    </div>
  )
}

interface OtherAddressProps {
  isBusy: boolean
  onSend: (to: Recipient[]) => Promise<void>
  onCancel: () => void
}

function OtherAddress(props: OtherAddressProps) {
  const [to, setTo] = createSignal<Recipient[]>([])
  return (
    <form
      class="failed-send-address"
      onSubmit={(event) => {
        event.preventDefault()
        if (to().length > 0) void props.onSend(to())
      }}
    >
      <RecipientField
        label="To"
        people={to()}
        onChange={setTo}
        field={(field) => queueMicrotask(() => field.focus())}
      />
      <div class="failed-send-actions">
        <Button type="submit" size="small" isBusy={props.isBusy} isUnavailable={to().length === 0}>
          Send
        </Button>
        <Button size="small" look="quiet" onClick={props.onCancel}>
          Cancel
        </Button>
      </div>
    </form>
  )
}

function titleOf({ sending, missed = [], email }: MessageEntry, isInChat: boolean): string {
  if (isInChat && email) return sending === 'bounced' ? 'Email bounced' : 'Email not sent'
  if (sending === 'bounced')
    return missed.length < countRecipients(email) ? 'Bounced for some recipients' : 'Bounced'
  return sending === 'failed' ? 'Not sent' : 'Not sent to everyone'
}

function countRecipients(email: MessageEntry['email']): number {
  return email ? email.to.length + (email.cc?.length ?? 0) + (email.bcc?.length ?? 0) : 0
}
