import { A } from '@solidjs/router'
import { createSignal, Match, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { toastError } from '../../ui/toaster.tsx'
import { ChatParts } from '../chat-parts.tsx'
import { recipientLine } from '../mail/mail-addresses.ts'
import { includes, type Recipients } from '../recipients/address-list.ts'
import type { ReplyDestination, TicketDetail } from '../ticket-query.ts'
import './composer.css'

import ChevronDown from 'lucide-solid/icons/chevron-down'

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

/** Warns before a reply goes to an address that a mail gave for answers and that isn't the customer's. */
export function ReplyElsewhere(props: { detail: TicketDetail; recipients: Recipients | undefined }) {
  const addresses = () => {
    const { to = [], cc = [], bcc = [] } = props.recipients ?? {}
    const chosen = props.detail.reply.recipients?.elsewhere?.filter(({ address }) =>
      includes([...to, ...cc, ...bcc], address),
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
          <Obstacle problem={problem()} />
        </p>
      )}
    </Show>
  )
}

/** The sentence, and the way to change that. */
export function Obstacle(props: { problem: Problem }) {
  return (
    <>
      {props.problem.effect === 'waits' ? "Won't be sent yet: " : "Won't be sent: "}
      {props.problem.reason} <SettingsLink problem={props.problem} />
    </>
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
  return [recipients.to, recipients.cc, recipients.bcc].every((people) => !people?.length)
    ? 'Add recipients'
    : recipientLine(recipients)
}

type Problem = NonNullable<ReplyDestination['problem']>

/** Only administrators can change a channel: a paused one they resume here, others in the settings. */
export function SettingsLink(props: { problem: Problem | undefined }) {
  const session = useSession()
  const fix = () => props.problem?.fix
  return (
    <Show when={props.problem?.setting}>
      {(setting) => (
        <Show when={session().agent.role === 'admin'} fallback={askedOf(fix())}>
          <Switch fallback={<A href={`/settings/${setting()}`}>Open settings</A>}>
            <Match when={fix()?.by === 'resume' && fix()}>{(paused) => <Resume id={paused().id} />}</Match>
            <Match when={fix()}>
              {(refused) => (
                <A href={`/settings/${setting()}/${refused().id}`}>
                  {refused().by === 'sign_in' ? 'Sign in again' : 'Fix sign-in'}
                </A>
              )}
            </Match>
          </Switch>
        </Show>
      )}
    </Show>
  )
}

/** Of an agent who is no administrator. The sentence of a refused mailbox says it itself. */
function askedOf(fix: Problem['fix']): string {
  if (!fix) return 'Ask an administrator to connect it.'
  return fix.by === 'resume' ? 'Ask an administrator to resume it.' : ''
}

/** Resumes a mailbox or bot. */
function Resume(props: { id: string }) {
  const [isBusy, setBusy] = createSignal(false)
  async function resume(): Promise<void> {
    if (isBusy()) return
    setBusy(true)
    const { id } = props
    const { mailboxes, bots } = api.console
    try {
      await (id.startsWith('bot_') ? ask(bots({ id }).resume.post()) : ask(mailboxes({ id }).resume.post()))
      for (const queryKey of [queryKeys.senders, queryKeys.anyTicket]) {
        await queries.invalidateQueries({ queryKey })
      }
    } catch (error) {
      toastError(errorMessage(error))
    }
    setBusy(false)
  }
  return (
    <button type="button" class="destination-resume" aria-disabled={isBusy()} onClick={() => void resume()}>
      Resume
    </button>
  )
}
