import { type Accessor, batch, createEffect, createMemo, createSignal, on, untrack } from 'solid-js'
import { createStore, produce, reconcile, unwrap } from 'solid-js/store'
import type { Row } from '../inbox-data.ts'
import { SEARCH, type View } from '../rail/views.ts'
import { matchesQuery, readQuery } from '../search/matches-query.ts'
import type { Learned } from './left-rows.ts'
import { createCursor } from './list-cursor.ts'
import { type Facts, type Line, placed, settled } from './merge-updates.ts'
import { createTicketPages, type Sort } from './ticket-pages.ts'

export type TicketList = ReturnType<typeof createTicketList>

interface Given {
  view: Accessor<View | undefined>
  sort: Accessor<Sort>
  me: Accessor<string>
  /** The ticket that is open. */
  openId: Accessor<string | undefined>
}

/** From how many rows before the end on the next page is read. */
const READ_AHEAD_ROWS = 25

/** The list of a view: its rows in their places, the row the person is at, and what waits to come in. */
export function createTicketList(given: Given) {
  const query = createMemo(() => given.view()?.query)
  const isSearch = createMemo(() => given.view()?.id === SEARCH)
  const { result, fetchNextPage, refetch } = createTicketPages(
    createMemo(() => {
      const text = query()
      return text === undefined ? undefined : { query: text, sort: given.sort() }
    }),
    isSearch,
  )
  const parsedQuery = createMemo(() => readQuery(query() ?? ''))
  const [lines, setLines] = createSignal<readonly Line[]>([])
  const [waiting, setWaiting] = createSignal<readonly string[]>([])
  const [rows, setRows] = createStore<Record<string, Row>>({})
  const [left, setLeft] = createStore<Record<string, Facts>>({})
  /** What happened to rows that have left the list: changed here once more, changed by others, gone altogether. */
  const [learned, setLearned] = createStore<Record<string, 'mine' | 'changed' | 'deleted'>>({})
  const [isHeld, setHeld] = createSignal(false)
  const [shownAt, setShownAt] = createSignal({})
  /** The search whose answer the lines are. */
  const [answered, setAnswered] = createSignal<string>()
  const searched = createMemo(() => result().data?.pages[0]?.terms ?? [])
  const ids = createMemo<readonly string[]>(() => lines().map(({ id }) => id), [], { equals: sameIds })
  const at = createCursor(ids, given.openId)
  const freshRows = createMemo(() => result().data?.pages.flatMap(({ data }) => data))
  /** As they came last; what has not changed comes as the same object. */
  const taken = new Map<string, Row>()
  // A list that is entered again shows what is known of it, and the truth as soon as it has come.
  let isEntering = true

  function isMatch(row: Row): boolean {
    return matchesQuery(row, parsedQuery(), given.me())
  }

  function show(next: readonly Line[], wait: readonly string[], fresh: readonly Row[]): void {
    batch(() => {
      for (const row of fresh) {
        if (taken.get(row.id) === row) continue
        taken.set(row.id, row)
        // A copy: the store changes it where it stands, and the cache must not change with it.
        setRows(row.id, reconcile(structuredClone(row)))
      }
      setLines(next)
      setWaiting(wait)
      setLeft(
        reconcile(
          Object.fromEntries(next.filter(({ hasLeft }) => hasLeft).map((line) => [line.id, line.matched])),
        ),
      )
      for (const id of Object.keys(learned)) if (left[id] === undefined) forget(id)
      forgetRowsBeside(new Set([...next, ...fresh].map(({ id }) => id)))
      at.keep()
    })
  }

  function forget(id: string): void {
    setLearned(produce((known) => delete known[id]))
  }

  /** Else every row that was ever seen would be kept until the page is closed. */
  function forgetRowsBeside(shown: ReadonlySet<string>): void {
    const gone = Object.keys(unwrap(rows)).filter((id) => !shown.has(id) && id !== given.openId())
    for (const id of gone) taken.delete(id)
    if (gone.length > 0)
      setRows(
        produce((known) => {
          for (const id of gone) delete known[id]
        }),
      )
  }

  createEffect(on([query, given.sort], () => (isEntering = true)))
  createEffect(() => {
    const { isFetching, isFetchingNextPage, isPlaceholderData } = result()
    const isAnswer = freshRows() !== undefined && !isPlaceholderData
    untrack(() => {
      takeIn()
      if (isAnswer) setAnswered(query())
    })
    if (!isFetching || isFetchingNextPage) isEntering = false
  })
  createEffect(on(isHeld, () => takeIn(), { defer: true }))

  function takeIn(isAsked = false): void {
    const fresh = freshRows()
    const { isPlaceholderData, hasNextPage } = result()
    if (!fresh || isPlaceholderData) {
      if (!isSearch()) show([], [], [])
    } else if (isEntering) show(placed(fresh, isMatch), [], fresh)
    else {
      const still = { isMatch, isHeld: isHeld() && !isAsked, activeId: given.openId() ?? at.cursor() }
      const next = settled(lines(), { rows: fresh, isWhole: !hasNextPage }, still)
      show(next.lines, next.waiting, fresh)
    }
  }

  return {
    ...at,
    ids,
    row: (id: string): Row | undefined => rows[id],
    /** As it was before it left the list; undefined while it belongs here. */
    before: (id: string): Facts | undefined => left[id],
    /** What somebody else made of a row that left the list; nothing for what was done here. */
    learned: (id: string) => (learned[id] === 'mine' ? undefined : learned[id]),
    /** A change of this page that leads a row back where it belongs; its list says so a moment later. */
    isComingBack(id: string): boolean {
      const row = rows[id]
      return learned[id] === 'mine' && row !== undefined && isMatch(row)
    },
    /** News of a row that has left the list. */
    learn(id: string, news: Learned | 'deleted', isMine = false): void {
      const row = rows[id]
      if (left[id] === undefined || !row) return
      taken.delete(id)
      batch(() => {
        if (news === 'deleted') setLearned(id, 'deleted')
        else {
          if (!isSame(row, news)) setLearned(id, isMine && learned[id] !== 'changed' ? 'mine' : 'changed')
          setRows(id, { ...news, tags: [...news.tags] })
        }
      })
    },
    waiting,
    /** Takes in what waits, and goes up to it. */
    showWaiting(): void {
      takeIn(true)
      setShownAt({})
    },
    shownAt,
    /** The next row that still belongs here. */
    nextHere(from = at.cursor()): string | undefined {
      const place = at.placeOf(from)
      const isHere = (id: string) => left[id] === undefined
      return (
        ids()
          .slice(place + 1)
          .find(isHere) ?? ids().slice(0, Math.max(place, 0)).findLast(isHere)
      )
    },
    setHeld,
    terms: searched,
    /** When what the order goes by happened; words are found in the order of the latest change. */
    timeOf: (row: Row): string =>
      given.sort() === 'updated_desc' || searched().length > 0 ? row.updatedAt : row.createdAt,
    /** The first time only: later answers change what is there. */
    isWaiting: createMemo(() => !result().data && !result().isError),
    /** Why nothing can be shown. */
    failure: createMemo(() => {
      const { data, error, isPlaceholderData } = result()
      return data && !isPlaceholderData ? undefined : (error ?? undefined)
    }),
    isStale: () => result().isPlaceholderData,
    /** What is shown is the answer to this very search, and not what was found before it. */
    isAnswered: () => answered() === query(),
    isFetching: () => result().isFetching,
    hasMore: () => result().hasNextPage,
    retry: refetch,
    reached(place: number): void {
      const { hasNextPage, isFetching } = result()
      if (hasNextPage && !isFetching && place >= ids().length - READ_AHEAD_ROWS) void fetchNextPage()
    },
  }
}

/** In what decides whether a row belongs into a list. */
function isSame(row: Row, news: Learned): boolean {
  const { status, assignedTo, tags, isSpam, hasFailedSend } = news
  if (row.status !== status || row.assignedTo !== assignedTo || row.isSpam !== isSpam) return false
  return row.hasFailedSend === hasFailedSend && row.tags.join() === tags.join()
}

function sameIds(before: readonly string[], after: readonly string[]): boolean {
  return before.length === after.length && before.every((id, place) => id === after[place])
}
