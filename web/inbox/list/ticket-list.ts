import { type Accessor, batch, createEffect, createMemo, createSignal, on, untrack } from 'solid-js'
import { createStore, produce, reconcile, unwrap } from 'solid-js/store'
import type { Row } from '../inbox-data.ts'
import { SEARCH, type View } from '../rail/views.ts'
import { matchesQuery, readQuery } from '../search/matches-query.ts'
import { createCursor } from './list-cursor.ts'
import { entriesOf, type ListEntry, type MatchFields, mergeUpdates } from './merge-updates.ts'
import type { Sort } from './sort.ts'
import { createTicketPages } from './ticket-pages.ts'

export type TicketList = ReturnType<typeof createTicketList>

/** The current fields of a ticket whose row has left the list. */
export type DepartedUpdate = Pick<
  Row,
  'status' | 'assignedTo' | 'tags' | 'isSpam' | 'snoozedUntil' | 'hasFailedSend' | 'hasDraft' | 'isUnread'
>

interface TicketListInput {
  view: Accessor<View | undefined>
  sort: Accessor<Sort>
  me: Accessor<string>
  /** The ticket that is open. */
  openId: Accessor<string | undefined>
}

/** The next page is loaded this many rows before the end. */
const LOAD_AHEAD_ROWS = 25

/** The list of a view: its rows in order, the cursor, and arrivals that are not shown yet. */
export function createTicketList(input: TicketListInput) {
  const query = createMemo(() => input.view()?.query)
  const isSearch = createMemo(() => input.view()?.id === SEARCH)
  const { result, fetchNextPage, refetch } = createTicketPages(
    createMemo(() => {
      const text = query()
      return text === undefined ? undefined : { query: text, sort: input.sort() }
    }),
    isSearch,
  )
  const parsedQuery = createMemo(() => readQuery(query() ?? ''))
  const [entries, setEntries] = createSignal<readonly ListEntry[]>([])
  const [arrivals, setArrivals] = createSignal<readonly string[]>([])
  const [rows, setRows] = createStore<Record<string, Row>>({})
  const [departed, setDeparted] = createStore<Record<string, MatchFields>>({})
  /** What happened to rows after they left the list: changed again here, changed by others, or deleted. */
  const [departedStates, setDepartedStates] = createStore<Record<string, 'mine' | 'changed' | 'deleted'>>({})
  const [isPaused, setPaused] = createSignal(false)
  const [scrolledToTop, setScrolledToTop] = createSignal({})
  /** The search that the entries are the result of. */
  const [shownQuery, setShownQuery] = createSignal<string>()
  const matchedTerms = createMemo(() => result().data?.pages[0]?.terms ?? [])
  const tooBroad = createMemo(() => result().data?.pages.at(-1)?.tooBroad)
  const ids = createMemo<readonly string[]>(() => entries().map(({ id }) => id), [], { equals: sameIds })
  const cursor = createCursor(ids, input.openId)
  const serverRows = createMemo(() => result().data?.pages.flatMap(({ data }) => data))
  /** Rows as last received. An unchanged row is the same object. */
  const received = new Map<string, Row>()
  // Entering a list again shows its cached rows first, then exactly what the server returns.
  let isEntering = true

  function isMatch(row: Row): boolean {
    return matchesQuery(row, parsedQuery(), input.me())
  }

  /** True while a change made here brings the row back and the server has not confirmed it yet. */
  function isReturning(id: string): boolean {
    const row = rows[id]
    return departedStates[id] === 'mine' && row !== undefined && isMatch(row)
  }

  function show(next: readonly ListEntry[], nextArrivals: readonly string[], fresh: readonly Row[]): void {
    batch(() => {
      for (const row of fresh) {
        if (received.get(row.id) === row) continue
        received.set(row.id, row)
        // A copy: the store changes its rows in place, and the cache must not change with them.
        setRows(row.id, reconcile(structuredClone(row)))
      }
      setEntries(next)
      setArrivals(nextArrivals)
      setDeparted(
        reconcile(
          Object.fromEntries(
            next.filter(({ hasLeft }) => hasLeft).map(({ id, lastMatch }) => [id, lastMatch]),
          ),
        ),
      )
      for (const id of Object.keys(departedStates)) if (departed[id] === undefined) forgetState(id)
      forgetRowsExcept(new Set([...next, ...fresh].map(({ id }) => id)))
      cursor.keepValid()
    })
  }

  function forgetState(id: string): void {
    setDepartedStates(produce((states) => delete states[id]))
  }

  /** Otherwise every row ever shown would be kept until the page is closed. */
  function forgetRowsExcept(shown: ReadonlySet<string>): void {
    const gone = Object.keys(unwrap(rows)).filter((id) => !shown.has(id) && id !== input.openId())
    for (const id of gone) received.delete(id)
    if (gone.length > 0)
      setRows(
        produce((known) => {
          for (const id of gone) delete known[id]
        }),
      )
  }

  createEffect(on([query, input.sort], () => (isEntering = true)))
  createEffect(() => {
    const { isFetching, isFetchingNextPage, isPlaceholderData } = result()
    const isResult = serverRows() !== undefined && !isPlaceholderData
    untrack(() => {
      update()
      if (isResult) setShownQuery(query())
    })
    if (!isFetching || isFetchingNextPage) isEntering = false
  })
  createEffect(on(isPaused, () => update(), { defer: true }))

  function update({ withArrivals = false } = {}): void {
    const fresh = serverRows()
    const { isPlaceholderData, hasNextPage } = result()
    if (!fresh || isPlaceholderData) {
      if (!isSearch()) show([], [], [])
    } else if (isEntering) show(entriesOf(fresh, isMatch), [], fresh)
    else {
      const activeId = input.openId() ?? cursor.cursor()
      const next = mergeUpdates(
        entries(),
        { rows: fresh, isComplete: !hasNextPage },
        { isMatch, isPaused: isPaused() && !withArrivals, activeId },
      )
      show(next.entries, next.arrivals, fresh)
    }
  }

  return {
    ...cursor,
    ids,
    row: (id: string): Row | undefined => rows[id],
    /** The fields of a row before it left the list. Undefined while it matches. */
    lastMatch: (id: string): MatchFields | undefined => departed[id],
    /** What others did to a row after it left the list. Undefined for changes made here. */
    departedState: (id: string) => (departedStates[id] === 'mine' ? undefined : departedStates[id]),
    isReturning,
    /** Ids of the rows that left the list and are still shown. */
    departedIds: createMemo<readonly string[]>(
      () =>
        entries()
          .filter(({ hasLeft }) => hasLeft)
          .map(({ id }) => id),
      [],
      { equals: sameIds },
    ),
    /** Removes rows that have left the list. */
    removeDeparted(gone: ReadonlySet<string>): void {
      const rest = entries().filter(({ id, hasLeft }) => !(hasLeft && gone.has(id)))
      show(rest, arrivals(), [])
    },
    /** Updates a row that has left the list. */
    updateDeparted(id: string, update: DepartedUpdate | 'deleted', isMine = false): void {
      const row = rows[id]
      if (departed[id] === undefined || !row) return
      received.delete(id)
      batch(() => {
        if (update === 'deleted') setDepartedStates(id, 'deleted')
        else {
          if (!isSame(row, update))
            setDepartedStates(id, isMine && departedStates[id] !== 'changed' ? 'mine' : 'changed')
          setRows(id, { ...update, tags: [...update.tags] })
        }
      })
    },
    arrivals,
    /** Inserts the arrivals and scrolls to the top. */
    showArrivals(): void {
      update({ withArrivals: true })
      setScrolledToTop({})
    },
    scrolledToTop,
    /** The next row that still matches, or else the previous one. */
    nextMatching(from = cursor.cursor()): string | undefined {
      const index = cursor.indexOf(from)
      const isMatching = (id: string) => departed[id] === undefined || isReturning(id)
      const [before, after] = [ids().slice(0, Math.max(index, 0)), ids().slice(index + 1)]
      return after.find(isMatching) ?? before.findLast(isMatching)
    },
    setPaused,
    terms: matchedTerms,
    /** Only before the first result: later results update the rows that are shown. */
    isLoading: createMemo(() => !result().data && !result().isError),
    /** The error to show instead of the list. */
    failure: createMemo(() => {
      const { data, error, isPlaceholderData } = result()
      return data && !isPlaceholderData ? undefined : (error ?? undefined)
    }),
    isStale: () => result().isPlaceholderData,
    /** False while the rows shown are still those of the previous search. */
    isUpToDate: () => shownQuery() === query(),
    isFetching: () => result().isFetching,
    isLoadingMore: () => result().isFetchingNextPage,
    hasMore: () => result().hasNextPage,
    /** The search stopped early: how to narrow it. */
    tooBroad,
    retry: refetch,
    loadMore: () => void fetchNextPage(),
    /** Loads the next page when the row at `index` is near the end. A search that stopped continues only when asked to. */
    loadMoreAt(index: number): void {
      const { hasNextPage, isFetching } = result()
      const isNear = index >= ids().length - LOAD_AHEAD_ROWS
      if (hasNextPage && !isFetching && isNear && tooBroad() === undefined) void fetchNextPage()
    },
  }
}

/** Compares the fields that decide whether a row belongs in a list. */
function isSame(row: Row, update: DepartedUpdate): boolean {
  const { status, assignedTo, tags, isSpam, snoozedUntil, hasFailedSend } = update
  if (row.snoozedUntil !== snoozedUntil) return false
  if (row.status !== status || row.assignedTo !== assignedTo || row.isSpam !== isSpam) return false
  return row.hasFailedSend === hasFailedSend && row.tags.join() === tags.join()
}

function sameIds(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((id, index) => id === after[index])
}
