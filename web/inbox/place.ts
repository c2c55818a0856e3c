import { useLocation, useNavigate, useParams } from '@solidjs/router'
import { createEffect, createMemo, createSignal, untrack } from 'solid-js'
import { useViewsWhenKnown } from './inbox-data.ts'
import { FIRST_VIEW, hrefOf, SEARCH, viewOf } from './views.ts'

/** How long the address may take to follow. */
const LONGEST_STEP_MS = 1_000

export type Place = ReturnType<typeof createPlace>

/** Where in the inbox the person is. The address is the only state: back, forward and a second tab work by themselves. */
export function createPlace() {
  const params = useParams()
  const location = useLocation()
  const navigate = useNavigate()
  const savedViews = useViewsWhenKnown()
  const viewId = createMemo(() => decoded(params.view ?? FIRST_VIEW))
  const ticketId = createMemo(() => params.ticketId)
  // The address follows a moment later, and the next key may be faster.
  const [headingFor, setHeadingFor] = createSignal(params.ticketId)
  let headingUntil = 0
  createEffect(() => {
    const id = ticketId()
    // What arrives late of an earlier step is not where the person is going.
    if (id !== untrack(headingFor) && performance.now() < headingUntil) return
    headingUntil = 0
    setHeadingFor(id)
  })

  function head(id: string | undefined): void {
    headingUntil = performance.now() + LONGEST_STEP_MS
    setHeadingFor(id)
  }

  const q = createMemo(() => String(location.query.q ?? ''))
  const view = createMemo(() => viewOf(viewId(), q(), savedViews() ?? []))
  /** The last list that was no search: where Escape leads back to. */
  const beforeSearch = createMemo<string>((last) => (viewId() === SEARCH ? last : viewId()), FIRST_VIEW)

  function hrefOfTicket(id?: string): string {
    return hrefOf(viewId(), { ticketId: id, q: viewId() === SEARCH ? q() : '' })
  }

  return {
    viewId,
    ticketId,
    /** The ticket that is open as far as keys are concerned. */
    headingFor,
    q,
    view,
    /** There is no such view, or no more. */
    isGone: () => view() === undefined && savedViews() !== undefined,
    hrefOfTicket,
    /** Several tickets in a row make one step back. */
    openTicket(id: string): void {
      const replace = ticketId() !== undefined
      head(id)
      navigate(hrefOfTicket(id), { replace, scroll: false })
    },
    closeTicket(): void {
      head(undefined)
      navigate(hrefOfTicket(), { scroll: false })
    },
    openView: (id: string) => navigate(hrefOf(id), { scroll: false }),
    /** While typing, the address follows without a step back for each letter. */
    search: (text: string) => {
      const isSearching = viewId() === SEARCH
      if (text.trim() === '' && isSearching) navigate(hrefOf(beforeSearch()), { scroll: false })
      else if (text.trim()) navigate(hrefOf(SEARCH, { q: text }), { replace: isSearching, scroll: false })
    },
    leaveSearch: () => navigate(hrefOf(beforeSearch()), { scroll: false }),
  }
}

/** Somebody may have typed a lone percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
