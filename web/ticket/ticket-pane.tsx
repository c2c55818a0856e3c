import { useLocation, useNavigate } from '@solidjs/router'
import { createEffect, createMemo, createSignal, Match, on, onCleanup, onMount, Show, Switch } from 'solid-js'
import { isNotFound } from '../api/api-problem.ts'
import { useSession } from '../api/session.ts'
import type { WritingField } from '../formatting/writing-field.ts'
import { FailedQuery } from '../forms/failed-state.tsx'
import { useKeys } from '../keyboard/keys.ts'
import { lazyPage, lazyPart } from '../live/lazy-page.tsx'
import { announcePresence, announceTyping, connection } from '../live/live.ts'
import { programs } from '../ui/avatar.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { DropTarget } from './attachments/attachments.tsx'
import { ViewedImage } from './attachments/viewed-image.tsx'
import { Composer } from './composer/composer.tsx'
import { createComposerState } from './composer/composer-state.ts'
import { takeTypeAhead } from './composer/type-ahead.ts'
import { isBlank } from './draft/draft-content.ts'
import { type OpenPicker, TicketHeader } from './header/ticket-header.tsx'
import { searchTerms } from './marked.tsx'
import { useReadMark } from './thread/read-mark.ts'
import { Thread } from './thread/thread.tsx'
import { preloadThreadParts, ThreadParts } from './thread/thread-parts.tsx'
import { ticketKeys } from './ticket-keys.ts'
import { isDeletedTicket, type TicketDetail, useTicket } from './ticket-query.ts'
import './ticket-pane.css'
import { Button } from '../ui/button.tsx'
import { leaveFocusToPane } from './focus-in-pane.ts'

const DeletedTicket = lazyPage(async () => ({
  default: (await import('./deleted-ticket.tsx')).DeletedTicket,
}))

/** Loaded with the first one, or before where there are programs. */
const SuggestedReplies = lazyPart(
  async () => (await import('./suggestions/suggested-replies.tsx')).SuggestedReplies,
)

/** Read by toaster.css. */
const TOAST_PROPERTIES = ['--composer-top', '--composer-center', '--composer-width']

interface TicketPaneProps {
  ticketId: string
  /** Whether keys act on this ticket. They don't while another one is loading. */
  isTarget(ticketId: string): boolean
  onClose(): void
  /** Opens the next ticket. Returns how to go back to this one. */
  onNext(): () => void
  onPrevious(): void
  onOpenPanel(): void
}

/** One ticket: its header, thread and composer. */
export function TicketPane(props: TicketPaneProps) {
  const ticket = useTicket(() => props.ticketId)
  // With the ticket itself, so that nothing moves when they arrive.
  preloadThreadParts()
  createEffect(() => programs().size > 0 && void SuggestedReplies.preload())
  const isDeleted = () => isNotFound(ticket().error) || isDeletedTicket(props.ticketId)
  /** A new id creates a new pane. Reading the same ticket again doesn't. */
  const loadedId = createMemo(() => (isDeleted() ? undefined : ticket().data?.ticket.id))
  let pane: HTMLElement | undefined
  createEffect(
    on(loadedId, () => {
      const { activeElement, body } = document
      // The focused field was removed with the previous ticket, or the page has just loaded, or the only pane was the list.
      if (activeElement === body || activeElement?.closest('[inert]')) pane?.focus({ preventScroll: true })
    }),
  )
  return (
    <article class="ticket-pane" aria-label="Ticket" tabIndex={-1} ref={pane}>
      <Switch fallback={<TicketSkeleton />}>
        <Match when={isDeleted()}>
          <Show when={props.ticketId} keyed>
            {(id) => <DeletedTicket ticketId={id} onClose={props.onClose} />}
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
                {(known) => <OpenTicket {...props} detail={known()} read={ticket()} />}
              </Show>
            )
          }}
        </Match>
        <Match when={ticket().error}>
          <FailedQuery title="Couldn't load the ticket" query={ticket()} />
        </Match>
      </Switch>
    </article>
  )
}

/** The ticket to open with the focus in its field, because an undone reply is back in it. */
let ticketToFocus: string | undefined

function OpenTicket(props: TicketPaneProps & { detail: TicketDetail; read: ReadState }) {
  const session = useSession()
  const navigate = useNavigate()
  const location = useLocation()
  const id = props.detail.ticket.id
  const here = location.pathname + location.search
  const [openPicker, setOpenPicker] = createSignal<OpenPicker>()
  let field: WritingField | undefined
  const focus = () => queueMicrotask(() => field?.focus())
  const composer = createComposerState({
    detail: () => props.detail,
    agentId: session().agent.id,
    limits: session().limits,
    focus,
    open: () => {
      if (location.pathname + location.search === here) return
      ticketToFocus = id
      navigate(here, { scroll: false })
    },
  })
  onMount(() => {
    if (ticketToFocus === id) focus()
    ticketToFocus = undefined
  })
  const readMark = useReadMark(() => props.detail)
  // A saved draft alone doesn't count as replying.
  const [hasTyped, setTyped] = createSignal(false)
  onMount(() => {
    const ahead = takeTypeAhead(id)
    if (!ahead) return
    composer.show(ahead.kind)
    if (ahead.text) {
      const text = composer.shown().state().text + ahead.text
      composer.shown().write(text)
      setTyped(true)
    }
    focus()
  })
  onMount(() => {
    const composerElement = field?.element.closest<HTMLElement>('.composer')
    if (composerElement) onCleanup(placeToastsAbove(composerElement))
  })
  usePresence(id, () => hasTyped() && !isBlank(composer.shown().state()))
  function attach(files: File[]) {
    setTyped(true)
    composer.attach(files)
  }
  /** The first mention that is new; in the list of mentions, else the newest one. */
  function shownNote(): string | undefined {
    const { mentions } = props.detail
    const newest = location.pathname.startsWith('/inbox/mentions/') ? mentions.at(-1) : undefined
    return (mentions.find(({ isSeen }) => !isSeen) ?? newest)?.noteId
  }
  const terms = searchTerms(id, String(location.query.q ?? ''))
  useKeys(() =>
    ticketKeys({
      ticket: () => props.detail.ticket,
      followers: () => props.detail.followers,
      isTarget: () => props.isTarget(id),
      myId: session().agent.id,
      onNext: props.onNext,
      onPick: setOpenPicker,
      onWrite: (kind) => {
        composer.show(kind)
        focus()
      },
    }),
  )

  return (
    <>
      <TicketHeader
        ticket={props.detail.ticket}
        followers={props.detail.followers}
        openPicker={openPicker()}
        onOpenPicker={setOpenPicker}
        onClose={props.onClose}
        onNext={props.onNext}
        onPrevious={props.onPrevious}
        onOpenPanel={props.onOpenPanel}
        onMarkUnread={readMark.markUnread}
      />
      <ThreadParts.SnoozeLine detail={props.detail} />
      <Thread detail={props.detail} composer={composer} terms={terms} shownNote={shownNote} />
      <StaleNotice read={props.read} />
      <Show when={props.detail.suggestions?.length}>
        <SuggestedReplies
          detail={props.detail}
          composer={composer}
          field={() => field}
          isTarget={() => props.isTarget(id)}
        />
      </Show>
      <Composer
        detail={props.detail}
        composer={composer}
        onNext={props.onNext}
        onWrite={() => {
          setTyped(true)
          if (composer.kind() === 'reply' && props.detail.reply.by === 'telegram') announceTyping(id)
        }}
        onFiles={attach}
        field={(written) => {
          field = written
        }}
      />
      <ViewedImage detail={props.detail} composer={composer} />
      <DropTarget name={composer.kind() === 'note' ? 'your note' : 'your reply'} onFiles={attach} />
    </>
  )
}

function TicketSkeleton() {
  return (
    <div class="ticket-pane-skeleton">
      <Skeleton lines={2} label="Loading the ticket" />
      <Skeleton lines={3} />
      <Skeleton lines={4} />
    </div>
  )
}

/** Shows colleagues that this agent has the ticket open, and whether they are replying. */
function usePresence(ticketId: string, isWriting: () => boolean): void {
  createEffect(() => announcePresence(ticketId, isWriting() ? 'replying' : 'viewing'))
  onCleanup(() => announcePresence(null, 'viewing'))
}

/** Keeps toasts centered above the composer. Returns how to put them back at the bottom of the page. */
function placeToastsAbove(composer: HTMLElement): () => void {
  const { style } = document.documentElement

  function place(): void {
    const { top, left, width } = composer.getBoundingClientRect()
    style.setProperty('--composer-top', `${Math.round(window.innerHeight - top)}px`)
    style.setProperty('--composer-center', `${Math.round(left + width / 2)}px`)
    style.setProperty('--composer-width', `${Math.round(width)}px`)
  }

  const sizes = new ResizeObserver(place)
  sizes.observe(composer)
  window.addEventListener('resize', place)
  window.visualViewport?.addEventListener('resize', place)
  return () => {
    sizes.disconnect()
    window.removeEventListener('resize', place)
    window.visualViewport?.removeEventListener('resize', place)
    for (const property of TOAST_PROPERTIES) style.removeProperty(property)
  }
}

/** One failure may be temporary. */
const MIN_FAILURES = 2

/** The state of reading the ticket again. */
interface ReadState {
  isError: boolean
  isFetching: boolean
  failureCount: number
  refetch: () => unknown
}

/** Shown when the ticket changed but couldn't be read again. While offline, the banner says so instead. */
function StaleNotice(props: { read: ReadState }) {
  const isStale = () => props.read.isError || props.read.failureCount >= MIN_FAILURES
  return (
    <Show when={isStale() && connection().state === 'online'}>
      <Notice read={props.read} />
    </Show>
  )
}

function Notice(props: { read: ReadState }) {
  let line: HTMLDivElement | undefined
  leaveFocusToPane(() => line)
  return (
    <div class="stale-notice" role="status" ref={line}>
      Couldn't load the latest updates.
      <Button size="small" look="quiet" onClick={() => void props.read.refetch()}>
        Try again
      </Button>
    </div>
  )
}
