import { useLocation, useNavigate } from '@solidjs/router'
import { createEffect, createMemo, createSignal, Match, on, onCleanup, onMount, Show, Switch } from 'solid-js'
import { isNotFound } from '../api/api-problem.ts'
import { useSession } from '../api/session.ts'
import { FailedState } from '../forms/failed-state.tsx'
import { useKeys } from '../keyboard/keys.ts'
import { usePresence } from './announce-viewing.ts'
import { Composer } from './composer/composer.tsx'
import { createComposing } from './composer/composer-state.ts'
import { useDrafts } from './composer/drafts.ts'
import { takeEarlyWriting } from './composer/type-ahead.ts'
import { GoneTicket } from './deleted-ticket.tsx'
import { type OpenPicker, TicketHeader } from './header/ticket-header.tsx'
import { useReadMark } from './thread/read-mark.ts'
import { searchTerms } from './thread/search-terms.ts'
import { OldThread, type Reading } from './thread/stale-notice.tsx'
import { Thread } from './thread/thread.tsx'
import { ticketKeys } from './ticket-keys.ts'
import { type TicketDetail, useTicket } from './ticket-query.ts'
import './ticket-pane.css'
import { TicketSkeleton } from './ticket-skeleton.tsx'
import { placeToastsAbove } from './toast-position.ts'

interface TicketPaneProps {
  ticketId: string
  /** Whether keys mean this ticket: the person may be on the way to another one. */
  isTarget(ticketId: string): boolean
  onClose(): void
  /** Opens the next ticket. Returns what leads back to this one. */
  onNext(): () => void
  onPrevious(): void
  onOpenPanel(): void
}

/** One ticket: its header, its thread, and where to write. */
export function TicketPane(props: TicketPaneProps) {
  const ticket = useTicket(() => props.ticketId)
  const isGone = () => isNotFound(ticket().error)
  /** Another ticket is another pane; the same one read again is not. */
  const loadedId = createMemo(() => (isGone() ? undefined : ticket().data?.ticket.id))
  let pane: HTMLElement | undefined
  createEffect(
    on(loadedId, () => {
      // The field that had the focus went with the ticket before, or the page is new.
      if (document.activeElement === document.body) pane?.focus({ preventScroll: true })
    }),
  )
  return (
    <article class="ticket-pane" aria-label="Ticket" tabIndex={-1} ref={pane}>
      <Switch fallback={<TicketSkeleton />}>
        <Match when={isGone()}>
          <Show when={props.ticketId} keyed>
            {(id) => <GoneTicket ticketId={id} onClose={props.onClose} />}
          </Show>
        </Match>
        <Match when={loadedId()} keyed>
          {(id) => {
            const detail = createMemo<TicketDetail | undefined>((last) => {
              const { data } = ticket()
              return data?.ticket.id === id ? data : last
            })
            return (
              <Show when={detail()}>
                {(known) => <OpenTicket {...props} detail={known()} reading={ticket()} />}
              </Show>
            )
          }}
        </Match>
        <Match when={ticket().error}>
          {(error) => (
            <FailedState
              title="The ticket could not be loaded"
              error={error()}
              onRetry={() => void ticket().refetch()}
              isBusy={ticket().isFetching}
            />
          )}
        </Match>
      </Switch>
    </article>
  )
}

/** A ticket that is opened to write in it: what was sent there is in its field again. */
let toWriteIn: string | undefined

function OpenTicket(props: TicketPaneProps & { detail: TicketDetail; reading: Reading }) {
  const session = useSession()
  const navigate = useNavigate()
  const location = useLocation()
  const id = props.detail.ticket.id
  const here = location.pathname + location.search
  const [openPicker, setOpenPicker] = createSignal<OpenPicker>()
  let field: HTMLTextAreaElement | undefined
  const drafts = useDrafts(() => props.detail, session().agent.id)
  const focus = () => queueMicrotask(() => field?.focus())
  const composing = createComposing({
    detail: () => props.detail,
    drafts,
    myId: () => session().agent.id,
    focus,
    show: () => {
      if (location.pathname + location.search === here) return
      toWriteIn = id
      navigate(here, { scroll: false })
    },
  })
  onMount(() => {
    if (toWriteIn === id && !composing.isAsking()) focus()
    toWriteIn = undefined
  })
  const readMark = useReadMark(() => props.detail)
  // A draft of yesterday is not being written.
  const [hasTyped, setTyped] = createSignal(false)
  onMount(() => {
    const early = takeEarlyWriting(id)
    if (!early) return
    drafts.show(early.kind)
    if (early.text) {
      drafts.shown().write(drafts.shown().text() + early.text)
      setTyped(true)
    }
    if (!composing.isAsking()) focus()
  })
  onMount(() => {
    const composer = field?.closest<HTMLElement>('.composer')
    if (composer) onCleanup(placeToastsAbove(composer))
  })
  usePresence(id, () => hasTyped() && !drafts.shown().isBlank())
  const terms = searchTerms(id, String(location.query.q ?? ''))
  useKeys(() =>
    ticketKeys({
      ticket: () => props.detail.ticket,
      isMeant: () => props.isTarget(id),
      myId: session().agent.id,
      onNext: props.onNext,
      onPick: setOpenPicker,
      onWrite: (kind) => {
        drafts.show(kind)
        focus()
      },
    }),
  )

  return (
    <>
      <TicketHeader
        ticket={props.detail.ticket}
        openPicker={openPicker()}
        onOpenPicker={setOpenPicker}
        onClose={props.onClose}
        onNext={props.onNext}
        onPrevious={props.onPrevious}
        onOpenPanel={props.onOpenPanel}
        onMarkUnread={readMark.markUnread}
      />
      <Thread detail={props.detail} draft={drafts.of.reply} terms={terms} onEdit={composing.back} />
      <OldThread reading={props.reading} />
      <Composer
        ticket={props.detail.ticket}
        drafts={drafts}
        composing={composing}
        onNext={props.onNext}
        onWrite={() => setTyped(true)}
        field={(element) => {
          field = element
        }}
      />
    </>
  )
}
