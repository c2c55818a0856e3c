import type { QueryClient } from '@tanstack/solid-query'

/** What comes close together is read together; but nobody waits longer than the second for it. */
const QUIET_MS = 150
const LONGEST_WAIT_MS = 600
/** A tab that nobody looks at only keeps its title right. */
const HIDDEN_WAIT_MS = 5_000

/** Queries that `workspace.changed` may concern, by the first part of their key. */
const WORKSPACE_QUERIES = [
  'agents',
  'views',
  'tags',
  'saved-replies',
  'organization',
  'session',
  'keys',
  'endpoints',
  'endpoint',
  'checklist',
  'audit',
  'counts',
]

interface Refresher {
  ticketChanged(ticketId: string): void
  workspaceChanged(): void
  /** Nobody knows what has changed. */
  everything(): void
}

/** Turns hints into reading again, and no more of it than is on the screen: the rest is read when it is looked at. */
export function createRefresher(queries: QueryClient): Refresher {
  const tickets = new Set<string>()
  let isWorkspaceStale = false
  let isAllOld = false
  let firstAt = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  function soon(): void {
    const now = Date.now()
    if (timer === undefined) firstAt = now
    clearTimeout(timer)
    const wait = document.hidden ? HIDDEN_WAIT_MS : Math.min(QUIET_MS, firstAt + LONGEST_WAIT_MS - now)
    timer = setTimeout(refresh, Math.max(wait, 0))
  }

  function refresh(): void {
    timer = undefined
    if (document.hidden) {
      mark('counts')
      return
    }
    if (isAllOld) void queries.invalidateQueries()
    else {
      for (const id of tickets) mark('ticket', id)
      if (tickets.size > 0) for (const name of ['tickets', 'counts', 'customer', 'tags']) mark(name)
      if (isWorkspaceStale) for (const name of WORKSPACE_QUERIES) mark(name)
    }
    tickets.clear()
    isWorkspaceStale = false
    isAllOld = false
  }

  function mark(...queryKey: string[]): void {
    void queries.invalidateQueries({ queryKey })
  }

  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && (tickets.size > 0 || isWorkspaceStale || isAllOld)) refresh()
  })
  return {
    ticketChanged(id) {
      tickets.add(id)
      soon()
    },
    workspaceChanged() {
      isWorkspaceStale = true
      soon()
    },
    everything() {
      isAllOld = true
      soon()
    },
  }
}
