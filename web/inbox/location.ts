import { useLocation, useNavigate, useParams } from '@solidjs/router'
import { createEffect, createMemo, createSignal, untrack } from 'solid-js'
import { useViewsWhenKnown } from './inbox-data.ts'
import { FIRST_VIEW, hrefOf, SEARCH, viewOf } from './rail/views.ts'

/** How long the address may take to follow; then it is right, whatever was meant. */
const LONGEST_STEP_MS = 1_000
/** Opening waits while keys come faster than this, so that holding `j` opens one ticket and not twenty. */
const HELD_WITHIN_MS = 120

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
  const step = createStep()
  createEffect(() => {
    const id = ticketId()
    // What arrives late of an earlier step is not where the person is going.
    if (id === untrack(headingFor) || !step.isUnderWay()) arrive(id)
  })

  function head(id: string | undefined): void {
    setHeadingFor(id)
    step.begin(() => arrive(ticketId()))
  }

  function arrive(id: string | undefined): void {
    step.end()
    setHeadingFor(id)
  }

  function goTo(id: string): void {
    navigate(hrefOfTicket(id), { replace: ticketId() !== undefined, scroll: false })
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
      head(id)
      goTo(id)
    },
    /** For keys: the row is painted first, and of a fast row of keys only the last ticket is opened. */
    openTicketSoon(id: string): void {
      head(id)
      step.later(() => goTo(id))
    },
    /** A link to it was followed: the address comes by itself. */
    followTo: head,
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

/** One step from ticket to ticket, from the key to the address. A new one takes the place of the one before. */
function createStep() {
  let frame = 0
  let opening: ReturnType<typeof setTimeout> | undefined
  let longest: ReturnType<typeof setTimeout> | undefined
  let lastAt = Number.NEGATIVE_INFINITY

  function end(): void {
    cancelAnimationFrame(frame)
    clearTimeout(opening)
    clearTimeout(longest)
    longest = undefined
  }

  return {
    isUnderWay: () => longest !== undefined,
    begin(onTooLong: () => void): void {
      end()
      longest = setTimeout(onTooLong, LONGEST_STEP_MS)
    },
    later(open: () => void): void {
      const now = performance.now()
      const wait = now - lastAt > HELD_WITHIN_MS ? 0 : HELD_WITHIN_MS
      lastAt = now
      // A ticket takes longer to draw than a row: the row is the answer to the key.
      frame = requestAnimationFrame(() => {
        opening = setTimeout(open, wait)
      })
    },
    end,
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
