import { useLocation, useNavigate, useParams } from '@solidjs/router'
import { createEffect, createMemo, createSignal, untrack } from 'solid-js'
import { useViewsWhenKnown } from './inbox-data.ts'
import { rememberSort, type Sort, sortNamed, sortOfView } from './list/sort.ts'
import { FIRST_VIEW, hrefOf, SEARCH, viewOf } from './rail/views.ts'

/** After this long, the URL decides which ticket is open, whatever was requested. */
const MAX_NAVIGATION_MS = 1_000
/** Opening waits while keys repeat faster than this, so that holding `j` opens one ticket and not twenty. */
const KEY_REPEAT_MS = 120

export type InboxLocation = ReturnType<typeof createLocation>

/** The view, ticket and search that are open. The URL is the only state, so back, forward and a second tab just work. */
export function createLocation() {
  const params = useParams()
  const location = useLocation()
  const navigate = useNavigate()
  const savedViews = useViewsWhenKnown()
  const viewId = createMemo(() => decoded(params.view ?? FIRST_VIEW))
  const ticketId = createMemo(() => params.ticketId)
  // The URL changes a moment after a key, and the next key may be faster.
  const [targetTicketId, setTargetTicketId] = createSignal(params.ticketId)
  const navigation = createNavigation()
  createEffect(() => {
    const id = ticketId()
    // The late result of an earlier navigation is not the target.
    if (id === untrack(targetTicketId) || !navigation.isPending()) arrive(id)
  })

  function setTarget(id: string | undefined): void {
    setTargetTicketId(id)
    navigation.begin(() => arrive(ticketId()))
  }

  function arrive(id: string | undefined): void {
    navigation.end()
    setTargetTicketId(id)
  }

  function goTo(id: string): void {
    navigate(hrefOfTicket(id), { replace: ticketId() !== undefined, scroll: false })
  }

  const sort = createMemo(() => sortNamed(viewId(), location.query.sort) ?? sortOfView(viewId()))
  const q = createMemo(() => String(location.query.q ?? ''))
  const view = createMemo(() => viewOf(viewId(), q(), savedViews() ?? []))
  /** The last view that was not a search. Escape leads back to it. */
  const viewBeforeSearch = createMemo<string>((last) => (viewId() === SEARCH ? last : viewId()), FIRST_VIEW)

  function hrefOfTicket(id?: string, order = sort()): string {
    return hrefOf(viewId(), { ticketId: id ?? '', q: viewId() === SEARCH ? q() : '', sort: order })
  }

  return {
    viewId,
    ticketId,
    /** The ticket that keys act on: it may be ahead of the URL. */
    targetTicketId,
    q,
    view,
    /** The order of the list. */
    sort,
    setSort(next: Sort): void {
      rememberSort(viewId(), next)
      navigate(hrefOfTicket(ticketId(), next), { replace: true, scroll: false })
    },
    /** The view doesn't exist, or no longer exists. */
    isViewMissing: () => view() === undefined && savedViews() !== undefined,
    hrefOfTicket,
    /** Going from ticket to ticket adds only one history entry. */
    openTicket(id: string): void {
      setTarget(id)
      goTo(id)
    },
    /** For keys: the row is painted first, and of fast repeated keys only the last ticket is opened. */
    openTicketDebounced(id: string): void {
      setTarget(id)
      navigation.debounce(() => goTo(id))
    },
    /** For a followed link, which changes the URL itself. */
    setTargetTicket: setTarget,
    closeTicket(): void {
      setTarget(undefined)
      navigate(hrefOfTicket(), { scroll: false })
    },
    openView: (id: string) => navigate(hrefOf(id), { scroll: false }),
    /** Typing adds one history entry, not one for each letter. */
    search: (text: string) => {
      const isSearching = viewId() === SEARCH
      if (text.trim() === '' && isSearching) navigate(hrefOf(viewBeforeSearch()), { scroll: false })
      else if (text.trim())
        navigate(hrefOf(SEARCH, { q: text, sort: isSearching ? sort() : undefined }), {
          replace: isSearching,
          scroll: false,
        })
    },
    leaveSearch: () => navigate(hrefOf(viewBeforeSearch()), { scroll: false }),
  }
}

/** One navigation from ticket to ticket, from the key to the URL. A new one replaces the previous one. */
function createNavigation() {
  let frame = 0
  let opening: ReturnType<typeof setTimeout> | undefined
  let timeout: ReturnType<typeof setTimeout> | undefined
  let lastAt = Number.NEGATIVE_INFINITY

  function end(): void {
    cancelAnimationFrame(frame)
    clearTimeout(opening)
    clearTimeout(timeout)
    timeout = undefined
  }

  return {
    isPending: () => timeout !== undefined,
    begin(onTimeout: () => void): void {
      end()
      timeout = setTimeout(onTimeout, MAX_NAVIGATION_MS)
    },
    debounce(open: () => void): void {
      const now = performance.now()
      const wait = now - lastAt > KEY_REPEAT_MS ? 0 : KEY_REPEAT_MS
      lastAt = now
      // A ticket takes longer to draw than a row, and the row is the response to the key.
      frame = requestAnimationFrame(() => {
        opening = setTimeout(open, wait)
      })
    },
    end,
  }
}

/** A typed URL may contain a stray percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
