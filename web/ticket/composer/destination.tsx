import { Show } from 'solid-js'
import { ChatParts } from '../chat-parts.tsx'
import { recipientLine } from '../mail/mail-addresses.ts'
import type { Recipients } from '../recipients/address-list.ts'
import { isChat } from '../ticket-names.ts'
import type { ReplyDestination } from '../ticket-query.ts'
import './composer.css'

import ChevronDown from 'lucide-solid/icons/chevron-down'

interface DestinationProps {
  reply: ReplyDestination
  /** The recipients of an email, as the agent chose them. */
  recipients: Recipients | undefined
  isOpen: boolean
  /** Opens and closes the fields of the recipients. */
  onToggle: () => void
  /** Enter was pressed, and the agent has chosen that it sends in chats. */
  onSend: () => void
}

/** Where a reply goes. Its recipients open their fields. */
export function Destination(props: DestinationProps) {
  return (
    <div class="destination">
      <Show
        when={props.recipients}
        fallback={
          <Show when={isChat(props.reply.by)} fallback={<p>{elsewhere(props.reply)}</p>}>
            <ChatParts.Destination reply={props.reply} onSend={props.onSend} />
          </Show>
        }
      >
        {(recipients) => (
          <button
            type="button"
            class="destination-recipients text-button"
            aria-expanded={props.isOpen}
            onClick={() => props.onToggle()}
          >
            <span class="destination-names cut">
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

/** Where a reply goes that isn't sent by email. */
function elsewhere({ by }: ReplyDestination): string {
  return by === 'api' ? 'Sent to your integration (webhook), not by email' : ''
}

function namesOf(recipients: Recipients): string {
  return [recipients.to, recipients.cc, recipients.bcc].every((people) => !people?.length)
    ? 'Add recipients'
    : recipientLine(recipients)
}
