import { useNavigate } from '@solidjs/router'
import { createEffect, createSignal, onCleanup, onMount } from 'solid-js'
import { type Answer, api, ask } from '../../api/api.ts'
import { codeOf, errorMessage } from '../../api/api-problem.ts'
import { toLocalTime, undoEndsAt } from '../../api/server-clock.ts'
import { useSession } from '../../api/session.ts'
import { toast, toastError } from '../../ui/toaster.tsx'
import { pushUndo } from '../changes/undo.ts'
import { isWorthRetrying, retryUntilAnswered } from '../composer/send-with-undo.ts'
import { readListsAgain } from '../list-cache.ts'
import type { Recipient } from '../recipients/address-list.ts'
import { comingTime } from '../thread/times.ts'
import type { Ticket } from '../ticket-query.ts'
import { setReopened } from './mail-storage.ts'
import {
  type OutgoingMail,
  putBackMail,
  removeUnsent,
  storeUnsent,
  type UnsentTicket,
  unsentTickets,
} from './outgoing-mail.ts'

type WaitingTicket = Answer<(typeof api.console)['new-tickets']['get']>['data'][number]
type Started = Answer<typeof api.console.tickets.post>

/** After this, the page of an agent asks whether the ticket is open. */
const OPEN_AFTER_MS = 700

const [waiting, setWaiting] = createSignal<WaitingTicket[]>([])
/** Ids of those that this page has sent. */
const startedHere = new Set<string>()
const [unsent, setUnsent] = createSignal<UnsentTicket[]>([])

/**
 * Sends a new ticket, which can be undone on every page until the server opens it. Without a connection, it is sent later.
 * Returns the ticket if it is open already. Throws what the server refuses.
 */
export async function startTicket(agentId: string, unsentTicket: UnsentTicket): Promise<Ticket | undefined> {
  try {
    return show(await ask(api.console.tickets.post(unsentTicket.request)))
  } catch (error) {
    if (!isWorthRetrying(error)) throw error
    storeUnsent(agentId, unsentTicket)
    setUnsent((known) => [...known, unsentTicket])
    return undefined
  }
}

/** Returns a ticket that is open. */
function show(started: Started): Ticket | undefined {
  // One that is sent later is counted in its view.
  if (!('messageId' in started) || started.isLater) readListsAgain()
  if (!('messageId' in started)) return started
  startedHere.add(started.messageId)
  setWaiting((known) => [...known.filter(({ messageId }) => messageId !== started.messageId), started])
  return undefined
}

/** On every page: the new tickets that can still be undone, and those that wait for the connection. */
export function NewTicketNotices() {
  const agentId = useSession()().agent.id
  const { look, sendNow, takeBack, reopen } = useNewTickets()
  const shown = new Set<string>()
  const timers = new Set<ReturnType<typeof setTimeout>>()

  function later(run: () => void, ms: number): void {
    const timer = setTimeout(() => {
      timers.delete(timer)
      run()
    }, ms)
    timers.add(timer)
  }
  onMount(() => void look())
  onMount(() => setUnsent(unsentTickets(agentId)))
  onCleanup(() => {
    for (const timer of timers) clearTimeout(timer)
  })

  createEffect(() => {
    for (const ticket of waiting()) {
      const { messageId, isLater, isHeld } = ticket
      // One that is sent later is in its view.
      const isQuiet = isLater && !isHeld && !startedHere.has(messageId)
      if (!shown.has(messageId) && !isQuiet) offer(ticket)
    }
  })
  createEffect(() => {
    for (const ticket of unsent()) if (!shown.has(ticket.request.messageId)) void sendLater(ticket)
  })

  function offer(ticket: WaitingTicket): void {
    const { messageId, isHeld, isLater, agentName } = ticket
    shown.add(messageId)
    const endsAt = undoEndsAt(ticket)
    let isOver = false
    const forget = pushUndo({
      label: isHeld
        ? `${agentName} is disabled. Not sent: ${words(ticket)}`
        : `${words(ticket)}${isLater ? `: scheduled for ${timeOf(ticket)}` : ''}`,
      ...(isHeld ? { isPart: true } : isLater ? {} : { endsAt }),
      async undo() {
        isOver = true
        await takeBack(ticket)
      },
      other: {
        text: 'Send now',
        run() {
          if (!forget()) return
          isOver = true
          void sendNow(messageId)
        },
      },
    })
    if (!isHeld && !isLater) later(() => void afterwards(), endsAt - Date.now() + OPEN_AFTER_MS)

    /** It is open, unless the server is late or has to hold it. */
    async function afterwards(): Promise<void> {
      if (isOver) return
      forget()
      const left = await look()
      const still = left?.find((one) => one.messageId === messageId)
      if (left && !still) {
        toast('Ticket created')
        readListsAgain()
      } else if (still?.isHeld) offer(still)
      else later(() => void afterwards(), OPEN_AFTER_MS)
    }
  }

  async function sendLater(ticket: UnsentTicket): Promise<void> {
    const { request, mail } = ticket
    shown.add(request.messageId)
    const stopping = new AbortController()
    const sentence = `${words(request)}: sends when you're online`
    const close = toastError(sentence, { text: 'Undo', run: () => stopping.abort() })
    const forget = () => {
      close()
      removeUnsent(agentId, request.messageId)
      setUnsent((known) => known.filter((one) => one !== ticket))
      shown.delete(request.messageId)
    }
    try {
      const started = await retryUntilAnswered(
        request.text,
        { signal: stopping.signal, onDelayed: () => {} },
        (how) => ask(api.console.tickets.post(request, how)),
      )
      forget()
      if (show(started)) toast('Ticket created')
    } catch (error) {
      forget()
      if (!stopping.signal.aborted) toastError(`Your email wasn't sent. ${errorMessage(error)}`)
      // The server may have it, although its answer was lost.
      else void ask(api.console['new-tickets']({ messageId: request.messageId }).delete()).catch(() => {})
      reopen(mail)
    }
  }

  return null
}

/** What the agent can do with a new ticket that isn't open yet. */
export function useNewTickets() {
  const navigate = useNavigate()
  const agentId = useSession()().agent.id

  async function look(): Promise<WaitingTicket[] | undefined> {
    const found = await ask(api.console['new-tickets'].get()).catch(() => undefined)
    if (found) setWaiting(found.data)
    return found?.data
  }

  async function sendNow(messageId: string): Promise<void> {
    try {
      const opened = await ask(api.console['new-tickets']({ messageId }).send.post())
      show(opened)
      remove(messageId)
      navigate(`/inbox/open/${opened.id}`, { scroll: false })
    } catch (error) {
      if (codeOf(error) !== 'already_sent') toastError(errorMessage(error))
    }
  }

  /** Deletes it. It is in the dialog again, unless it was canceled. */
  async function takeBack(ticket: WaitingTicket, { isCanceled = false } = {}): Promise<void> {
    const { messageId, attachments = [], ...mail } = ticket
    const sendAt = mail.isLater ? mail.sendAt : undefined
    const put = () => reopen({ ...mail, attachments, sendAt, id: '' })
    try {
      await ask(api.console['new-tickets']({ messageId }).delete())
      remove(messageId)
      if (isCanceled) pushUndo({ label: 'New ticket canceled', undo: put })
      else put()
    } catch (error) {
      toastError(codeOf(error) === 'already_sent' ? 'Already sent' : errorMessage(error))
    }
    if (ticket.isLater) readListsAgain()
  }

  function remove(messageId: string): void {
    setWaiting((known) => known.filter((one) => one.messageId !== messageId))
  }

  function reopen(mail: OutgoingMail): void {
    putBackMail(agentId, mail)
    if (!location.pathname.startsWith('/inbox')) navigate('/inbox')
    setReopened(true)
  }

  return { look, sendNow, takeBack, reopen, waiting }
}

/** When it is sent, such as "tomorrow, 9:00". */
export function timeOf({ sendAt }: Pick<WaitingTicket, 'sendAt'>): string {
  return comingTime(new Date(toLocalTime(Date.parse(sendAt))))
}

export function words({ to }: { to: readonly Pick<Recipient, 'address'>[] }): string {
  const others = to.length > 1 ? ` and ${to.length - 1} more` : ''
  return `To ${to[0]?.address ?? ''}${others}`
}
