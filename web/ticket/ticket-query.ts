import { type Answer, api, ask } from '../api/api.ts'
import { ApiProblem } from '../api/api-problem.ts'
import { observe, queries } from '../api/queries.ts'
import { queryKeys } from '../api/query-keys.ts'
import { withPending } from './changes/optimistic.ts'

/** How long a ticket rests that could not be read again. */
const READ_AGAIN_AFTER_MS = 5_000

/** One ticket as its pane shows it. */
export type TicketDetail = Answer<ReturnType<typeof api.console.tickets>['get']>
export type Entry = TicketDetail['timeline'][number]
export type MessageEntry = Extract<Entry, { kind: 'message' }>
export type NoteEntry = Extract<Entry, { kind: 'note' }>
export type ActivityEntry = Extract<Entry, { kind: 'activity' }>
export type WaitingReply = TicketDetail['waiting'][number]
export type Draft = TicketDetail['drafts'][number]
export type Ticket = TicketDetail['ticket']
export type TicketStatus = Ticket['status']

/** How a ticket is read; for `prefetchQuery` of the next and the previous one too. */
export function ticketQuery(id: string) {
  return {
    queryKey: queryKeys.ticket(id),
    queryFn: async (): Promise<TicketDetail> => {
      const detail = await ask(api.console.tickets({ id }).get())
      return { ...detail, ticket: withPending(detail.ticket) }
    },
  }
}

export function useTicket(id: () => string) {
  return observe(() => ({
    ...ticketQuery(id()),
    // It is shown, and there is news of it: it is tried until that can be read.
    refetchInterval: ({ state }) => (state.data && isPassing(state.error) ? READ_AGAIN_AFTER_MS : false),
  }))
}

/** A server that was not reached or stumbled; what it refuses, it refuses again. */
function isPassing(error: Error | null): boolean {
  return error instanceof ApiProblem && (error.status === 0 || error.status >= 500)
}

/** What the server has of a draft now, `null` for none; nothing when it could not be asked. */
export async function readDraft(id: string, kind: Draft['kind']): Promise<Draft | null | undefined> {
  // Not by the query: it may be under way already, and then know less than what was saved since.
  const detail = await ask(api.console.tickets({ id }).get()).catch(() => undefined)
  return detail && (detail.drafts.find((draft) => draft.kind === kind) ?? null)
}

export function knownTicket(id: string): TicketDetail | undefined {
  return queries.getQueryData<TicketDetail>(queryKeys.ticket(id))
}

/** Reads it again, where it is shown. */
export function readTicketAgain(id: string): Promise<void> {
  return queries.invalidateQueries({ queryKey: queryKeys.ticket(id) })
}

/** Changes what is known of a ticket, where it is known. */
export function patchTicket(id: string, change: (known: TicketDetail) => TicketDetail): void {
  queries.setQueryData<TicketDetail>(queryKeys.ticket(id), (known) => known && change(known))
}
