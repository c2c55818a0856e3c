import { A } from '@solidjs/router'
import ChevronDown from 'lucide-solid/icons/chevron-down'
import { Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { ChatParts } from '../chat-parts.tsx'
import { recipientLine } from '../mail/mail-addresses.ts'
import { includes, type Recipients } from '../recipients/address-list.ts'
import type { ReplyDestination, TicketDetail } from '../ticket-query.ts'
import './destination.css'

interface DestinationProps {
  reply: ReplyDestination
  /** The recipients of an email, as the agent chose them. */
  recipients: Recipients | undefined
  isOpen: boolean
  /** Opens and closes the fields of the recipients. */
  onToggle: () => void
}

/** Where a reply goes. Its recipients open their fields. */
export function Destination(props: DestinationProps) {
  return (
    <div class="destination">
      <Show
        when={props.recipients}
        fallback={
          <Show when={isChat(props.reply)} fallback={<p>{elsewhere(props.reply)}</p>}>
            <ChatParts.Destination reply={props.reply} />
          </Show>
        }
      >
        {(recipients) => (
          <button
            type="button"
            class="destination-recipients"
            aria-expanded={props.isOpen}
            onClick={() => props.onToggle()}
          >
            <span class="destination-names">
              <span class="unseen">Reply goes by email </span>
              {namesOf(recipients())}
              <Show when={props.reply.mailbox}>
                {(mailbox) => <span class="destination-mailbox"> · from {mailbox().address}</span>}
              </Show>
            </span>
            <ChevronDown />
          </button>
        )}
      </Show>
    </div>
  )
}

/** Warns before a reply goes to an address that a mail gave for answers and that isn't the customer's. */
export function ReplyElsewhere(props: { detail: TicketDetail; recipients: Recipients | undefined }) {
  const addresses = () => {
    const { to = [], cc = [] } = props.recipients ?? {}
    const chosen = props.detail.reply.recipients?.elsewhere?.filter(({ address }) =>
      includes([...to, ...cc], address),
    )
    return chosen?.map(({ address }) => address).join(', ') ?? ''
  }
  const customer = () => props.detail.ticket.customer
  return (
    <Show when={addresses()}>
      {(text) => (
        <p class="destination-problem" role="status">
          Check the recipients: the last email asks for answers at {text()}
          {customer().email ? `, not at the customer's address ${customer().email}.` : '.'}
        </p>
      )}
    </Show>
  )
}

/** Why a reply can't be sent now. */
export function ReplyProblem(props: { reply: ReplyDestination }) {
  return (
    <Show when={props.reply.problem}>
      {(problem) => (
        <p class="destination-problem">
          {problem().effect === 'waits' ? "Won't be sent yet: " : "Won't be sent: "}
          {problem().reason} <SettingsLink problem={problem()} />
        </p>
      )}
    </Show>
  )
}

/** Where a reply goes that isn't sent by email. */
function elsewhere({ by }: ReplyDestination): string {
  return by === 'api' ? 'Sent to your integration (webhook), not by email' : ''
}

function isChat({ by }: ReplyDestination): boolean {
  return by === 'widget' || by === 'telegram'
}

function namesOf(recipients: Recipients): string {
  return recipients.to.length + recipients.cc.length === 0 ? 'Add recipients' : recipientLine(recipients)
}

type Problem = NonNullable<ReplyDestination['problem']>

/** Only administrators can open the settings of a channel. */
export function SettingsLink(props: { problem: Problem | undefined }) {
  const session = useSession()
  return (
    <Show when={props.problem?.setting}>
      {(setting) => (
        <Show when={session().agent.role === 'admin'} fallback="Ask an administrator to connect it.">
          <A href={`/settings/${setting()}`}>Open settings</A>
        </Show>
      )}
    </Show>
  )
}
