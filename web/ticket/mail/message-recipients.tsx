import { createSignal, For, Show } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { Button } from '../../ui/button.tsx'
import { pushUndo } from '../changes/undo.ts'
import { patchRow } from '../list-cache.ts'
import {
  type MessageEntry,
  patchTicket,
  type ReplyDestination,
  type Ticket,
  tryChange,
} from '../ticket-query.ts'
import {
  type Address,
  bareSubject,
  canBeCustomer,
  forwardedSender,
  forwardLine,
  isSameAddress,
  type MailHeader,
  nameOf,
  recipientLine,
} from './mail-addresses.ts'
import './message-recipients.css'

import ChevronDown from 'lucide-solid/icons/chevron-down'
import Forward from 'lucide-solid/icons/forward'
import ShieldAlert from 'lucide-solid/icons/shield-alert'

interface MessageRecipientsProps {
  message: MessageEntry
  ticket: Ticket
  reply: ReplyDestination
}

/**
 * "to Support, cc Cy" or "Forwarded to cy@carrier.test", and below it all names and addresses. One click makes someone
 * else the customer: the writer, the sender of the mail that the customer forwarded, or who is in Reply-To. Nothing for a message that is no mail.
 */
export function MessageRecipients(props: MessageRecipientsProps) {
  const [isOpen, setOpen] = createSignal(false)
  const candidate = () => candidateFor(props)
  return (
    <Show when={props.message.email}>
      {(email) => (
        <div class="message-recipients muted small">
          <div class="message-recipients-bar">
            <button
              type="button"
              class="message-recipients-line text-button"
              aria-expanded={isOpen()}
              onClick={() => setOpen(!isOpen())}
            >
              <Show
                when={email().forwardOf}
                fallback={<span class="message-recipients-names cut">{recipientLine(email())}</span>}
              >
                <span class="message-recipients-names cut" data-forward>
                  <Forward /> {forwardLine(email())}
                </span>
              </Show>
              <ChevronDown />
            </button>
            <Show when={candidate()}>
              {(person) => (
                <button
                  type="button"
                  class="message-recipients-make"
                  title={person().address}
                  onClick={() => void makeCustomer(props.ticket, person())}
                >
                  Make {nameOf(person())} the customer
                </button>
              )}
            </Show>
          </div>
          <Show when={email().isUnverified}>
            <p class="message-recipients-unverified">
              <ShieldAlert />
              Not verified: the sender's domain did not sign this email.
            </p>
          </Show>
          <Show when={isOpen()}>
            <AllRecipients email={email()} ticket={props.ticket} reply={props.reply} />
          </Show>
        </div>
      )}
    </Show>
  )
}

interface AllRecipientsProps {
  email: MailHeader
  ticket: Ticket
  reply: ReplyDestination
}

function AllRecipients(props: AllRecipientsProps) {
  const subject = () => {
    const { subject } = props.email
    return bareSubject(subject) === bareSubject(props.ticket.subject) ? '' : subject
  }
  return (
    <dl class="message-recipients-all">
      <People label="From" people={[props.email.from]} {...props} />
      <People label="Reply to" people={props.email.replyTo} {...props} />
      <People label="To" people={props.email.to} {...props} />
      <People label="Cc" people={props.email.cc} {...props} />
      <People label="Bcc" people={props.email.bcc} {...props} />
      <Show when={props.email.others}>
        {(count) => (
          <>
            <dt />
            <dd>{count().toLocaleString()} more</dd>
          </>
        )}
      </Show>
      <Show when={subject()}>
        {(text) => (
          <>
            <dt>Subject</dt>
            <dd>{text()}</dd>
          </>
        )}
      </Show>
    </dl>
  )
}

function People(props: AllRecipientsProps & { label: string; people: Address[] | undefined }) {
  /** Our own mailbox can't be a customer. */
  const isOffered = (person: Address) =>
    canBeCustomer(props.ticket, person) && !isSameAddress(person.address, props.reply.mailbox?.address)
  return (
    <Show when={props.people?.length}>
      <dt>{props.label}</dt>
      <dd>
        <ul>
          <For each={props.people}>
            {(person) => (
              <li class="message-recipients-person">
                <span>
                  <Show when={person.name} fallback={person.address}>
                    {person.name} <span class="muted">{person.address}</span>
                  </Show>
                </span>
                <Show when={isOffered(person)}>
                  <Button size="small" look="quiet" onClick={() => void makeCustomer(props.ticket, person)}>
                    <span>
                      Make <span class="unseen">{nameOf(person)} the </span>customer
                    </span>
                  </Button>
                </Show>
              </li>
            )}
          </For>
        </ul>
      </dd>
    </Show>
  )
}

function candidateFor({ message, ticket, reply }: MessageRecipientsProps): Address | undefined {
  if (message.role !== 'customer' || !message.email || message.isAutomatic) return undefined
  const { from, writer = from, replyTo = [] } = message.email
  const isAtHand = (person: Address) =>
    canBeCustomer(ticket, person) && !isSameAddress(person.address, reply.mailbox?.address)
  if (message.author) return isAtHand(writer) ? writer : undefined
  const forwarded = forwardedSender(message.text)
  return [...(forwarded ? [forwarded] : []), ...replyTo].find(isAtHand)
}

/** Makes someone on a mail the customer of the ticket, with an Undo. */
async function makeCustomer({ id, customer: before }: Ticket, person: Address): Promise<void> {
  if (!(await change(id, person))) return
  pushUndo({
    label: `${nameOf(person)} is the customer now`,
    undo: async () => {
      if (before.email) await change(id, { name: before.name, address: before.email })
    },
  })
}

function change(id: string, { name, address }: Address): Promise<boolean> {
  async function request(): Promise<void> {
    const body = { email: address, ...(name && { name }) }
    const ticket = await ask(api.console.tickets({ id }).customer.post(body))
    const { customer } = ticket
    patchTicket(id, (known) => ({ ...known, ticket }))
    patchRow(id, (row) => ({
      ...row,
      customer: { ...row.customer, name: customer.name, email: customer.email },
    }))
    void queries.invalidateQueries({ queryKey: queryKeys.customers })
  }
  return tryChange(id, request, "Couldn't change the customer.")
}
