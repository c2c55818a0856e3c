import { A } from '@solidjs/router'
import { createSignal, Match, Show, Switch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { errorMessage } from '../../api/api-problem.ts'
import { queries } from '../../api/queries.ts'
import { queryKeys } from '../../api/query-keys.ts'
import { useSession } from '../../api/session.ts'
import { toastError } from '../../ui/toaster.tsx'
import { includes, type Recipients } from '../recipients/address-list.ts'
import type { ReplyDestination, TicketDetail } from '../ticket-query.ts'
import './composer.css'

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
