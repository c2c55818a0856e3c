import { type Answer, api, ask } from '../api/api.ts'
import { ApiProblem, errorMessage, isNotFound } from '../api/api-problem.ts'
import { observe, queries } from '../api/queries.ts'
import { queryKeys } from '../api/query-keys.ts'
import { toastError } from '../ui/toaster.tsx'
import { loadAttachmentList } from './attachments/attachments.tsx'
import { withPending } from './changes/optimistic.ts'
import { loadQuoteCutter, mayQuote } from './thread/quotes.ts'

/** The pause after a failed read of a ticket that is already shown. */
const RETRY_AFTER_MS = 5_000

/** One ticket as its pane shows it. */
export type TicketDetail = Answer<ReturnType<typeof api.console.tickets>['get']>
export type Entry = TicketDetail['timeline'][number]
export type MessageEntry = Extract<Entry, { kind: 'message' }>
export type NoteEntry = Extract<Entry, { kind: 'note' }>
export type ActivityEntry = Extract<Entry, { kind: 'activity' }>
export type WaitingReply = TicketDetail['waiting'][number]
export type Draft = TicketDetail['drafts'][number]
export type Ticket = TicketDetail['ticket']
export type ReplyDestination = TicketDetail['reply']
export type TicketStatus = Ticket['status']

/** Tickets that the server no longer has. Their queries forget that while they are read again. */
const deleted = new Set<string>()

/** The query of one ticket. Also for `prefetchQuery` of the next and the previous one. */
export function ticketQuery(id: string) {
  return {
    queryKey: queryKeys.ticket(id),
    queryFn: async (): Promise<TicketDetail> => {
      const detail = await ask(api.console.tickets({ id }).get()).catch((error: unknown) => {
        if (isNotFound(error)) deleted.add(id)
        throw error
      })
      await Promise.all([
        hasAttachments(detail) && loadAttachmentList(),
        mayShowQuote(detail) && loadQuoteCutter(),
      ])
      return { ...detail, ticket: withPending(detail.ticket) }
    },
  }
}

/** Whether the server has said that there is no such ticket. A deleted ticket never comes back. */
export function isDeletedTicket(id: string): boolean {
  return deleted.has(id)
}

function hasAttachments({ timeline, waiting }: TicketDetail): boolean {
  return [...timeline, ...waiting].some((entry) => 'attachments' in entry)
}

/** The server has cut the quotes of received mails already. */
function mayShowQuote({ timeline }: TicketDetail): boolean {
  return timeline.some(
    (entry) =>
      entry.kind === 'message' &&
      entry.format === 'plain' &&
      !(entry.role === 'customer' && entry.email) &&
      mayQuote(entry.text),
  )
}

export function useTicket(id: () => string) {
  return observe(() => ({
    ...ticketQuery(id()),
    // The shown ticket is out of date, so it is read until that succeeds.
    refetchInterval: ({ state }) => (state.data && isTemporary(state.error) ? RETRY_AFTER_MS : false),
  }))
}

/** The server was not reached, or failed. Other errors would be the same on a retry. */
function isTemporary(error: Error | null): boolean {
  return error instanceof ApiProblem && (error.status === 0 || error.status >= 500)
}

/** The ticket as the server has it now. Undefined if the request failed. */
export function readNewest(id: string): Promise<TicketDetail | undefined> {
  // Not through the query: a request already in progress may return an older draft.
  return ask(api.console.tickets({ id }).get()).catch(() => undefined)
}

export function knownTicket(id: string): TicketDetail | undefined {
  return queries.getQueryData<TicketDetail>(queryKeys.ticket(id))
}

/** Reads the ticket again, if it is shown. */
export function readTicketAgain(id: string): Promise<void> {
  return queries.invalidateQueries({ queryKey: queryKeys.ticket(id) })
}

/** Changes the cached ticket, if there is one. */
export function patchTicket(id: string, change: (known: TicketDetail) => TicketDetail): void {
  queries.setQueryData<TicketDetail>(queryKeys.ticket(id), (known) => known && change(known))
}

/** Makes a request that changes something of a ticket, then reads the ticket again. If it fails, says why and returns false. */
export async function tryChange(id: string, request: () => Promise<unknown>, failure = ''): Promise<boolean> {
  try {
    await request()
    return true
  } catch (error) {
    toastError(`${failure} ${errorMessage(error)}`.trim())
    return false
  } finally {
    void readTicketAgain(id)
  }
}
