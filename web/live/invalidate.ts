import type { QueryClient, QueryKey } from '@tanstack/solid-query'
import { queryKeys } from '../api/query-keys.ts'

/** Events that arrive close together cause one read, after a pause and at the latest after the maximum. */
const QUIET_MS = 150
const MAX_WAIT_MS = 600
/** A hidden tab only updates the count in its title. */
const HIDDEN_WAIT_MS = 5_000

/** Queries that `workspace.changed` may concern. */
const WORKSPACE_QUERIES = [
  queryKeys.agents,
  queryKeys.views,
  queryKeys.tags,
  queryKeys.savedReplies,
  queryKeys.organization,
  queryKeys.session,
  queryKeys.apiKeys,
  queryKeys.connectedPrograms,
  queryKeys.endpoints,
  queryKeys.anyEndpoint,
  queryKeys.mailboxes,
  queryKeys.senders,
  queryKeys.anyMailbox,
  queryKeys.oauthClients,
  queryKeys.widgets,
  queryKeys.anyWidget,
  queryKeys.blocked,
  queryKeys.visitors,
  queryKeys.channelProblems,
  queryKeys.bots,
  queryKeys.anyBot,
  queryKeys.mails,
  queryKeys.anyMail,
  queryKeys.ownSignature,
  queryKeys.checklist,
  queryKeys.audit,
  queryKeys.counts,
  queryKeys.customers,
  queryKeys.customerLists,
  queryKeys.tickets,
  queryKeys.anyTicket,
]
/** Queries that a change of any ticket may concern. */
const TICKET_QUERIES = [
  queryKeys.tickets,
  queryKeys.counts,
  queryKeys.customers,
  queryKeys.customerLists,
  queryKeys.visitors,
  queryKeys.tags,
]

interface Invalidator {
  /** `isUrgent`: someone waits for it on the open ticket, which is read at once. */
  ticketChanged(ticketId: string, isUrgent?: boolean): void
  /** What is known of the visitors who wrote these tickets. */
  visitorsChanged(ticketIds: string[]): void
  workspaceChanged(): void
  /** Anything may have changed. */
  allChanged(): void
}

/** Invalidates queries when live events say that something changed. Queries on the page are read again at once. */
export function createInvalidator(queries: QueryClient): Invalidator {
  const tickets = new Set<string>()
  const visited = new Set<string>()
  let areListsStale = false
  let isWorkspaceStale = false
  let isAllStale = false
  let firstAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function schedule(): void {
    const now = Date.now()
    if (timer === undefined) firstAt = now
    clearTimeout(timer)
    const wait = document.hidden ? HIDDEN_WAIT_MS : Math.min(QUIET_MS, firstAt + MAX_WAIT_MS - now)
    timer = setTimeout(flush, Math.max(wait, 0))
  }

  function flush(): void {
    timer = undefined
    if (document.hidden) {
      invalidate(queryKeys.counts)
      return
    }
    if (isAllStale) void queries.invalidateQueries()
    else {
      for (const id of tickets) invalidate(queryKeys.ticket(id))
      if (areListsStale) for (const key of TICKET_QUERIES) invalidate(key)
      for (const id of visited)
        for (const key of [queryKeys.ticket(id), queryKeys.visitor(id)]) invalidate(key)
      if (visited.size > 0) invalidate(queryKeys.tickets)
      if (isWorkspaceStale) for (const key of WORKSPACE_QUERIES) invalidate(key)
    }
    tickets.clear()
    visited.clear()
    areListsStale = false
    isWorkspaceStale = false
    isAllStale = false
  }

  function invalidate(queryKey: QueryKey): void {
    void queries.invalidateQueries({ queryKey })
  }

  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && (areListsStale || visited.size > 0 || isWorkspaceStale || isAllStale)) flush()
  })
  return {
    ticketChanged(id, isUrgent) {
      areListsStale = true
      if (isUrgent && !document.hidden) invalidate(queryKeys.ticket(id))
      else tickets.add(id)
      schedule()
    },
    visitorsChanged(ids) {
      for (const id of ids) visited.add(id)
      schedule()
    },
    workspaceChanged() {
      isWorkspaceStale = true
      schedule()
    },
    allChanged() {
      isAllStale = true
      schedule()
    },
  }
}
