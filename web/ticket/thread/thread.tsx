import ArrowDown from 'lucide-solid/icons/arrow-down'
import {
  createEffect,
  createMemo,
  createSignal,
  For,
  Match,
  on,
  onCleanup,
  onMount,
  Show,
  Switch,
} from 'solid-js'
import { useSession } from '../../api/session.ts'
import { announce } from '../../ui/announcer.tsx'
import type { ComposerState } from '../composer/composer-state.ts'
import { setThreadOnScreen } from '../composer/undoable.ts'
import { hasHit } from '../marked.tsx'
import { createFollowScroll } from './follow-scroll.ts'
import './thread.css'
import ChevronsUpDown from 'lucide-solid/icons/chevrons-up-down'
import { ChatParts } from '../chat-parts.tsx'
import type { ReplyDestination, Ticket, TicketDetail, WaitingReply } from '../ticket-query.ts'
import { MessageGroup } from './message-group.tsx'
import { ThreadParts } from './thread-parts.tsx'
import {
  firstUnread,
  initialCount,
  isMessageOrNote,
  isSameRow,
  type MessageOrNote,
  type ThreadRow,
  threadRows,
} from './thread-rows.ts'
import { dayName } from './times.ts'

const UNFOLDED_AT_ONCE = 30
const FILLED_AT_ONCE = 3
const KINDS = ['reply', 'note'] as const

interface ThreadProps {
  detail: TicketDetail
  composer: ComposerState
  terms: readonly string[]
  /** The note to begin at, which mentions the agent. */
  shownNote: () => string | undefined
}

/** The messages, notes and activity of a ticket, oldest first. */
export function Thread(props: ThreadProps) {
  const session = useSession()
  const ticketId = () => props.detail.ticket.id
  const mention = props.shownNote()
  const [shownCount, setShownCount] = createSignal(
    initialCount(props.detail.timeline, ({ id, text }) => id === mention || hasHit(text, props.terms)),
  )
  const [unreadFrom, setUnreadFrom] = createSignal(firstUnread(props.detail.timeline, props.detail.readUpTo))
  const [missedCount, setMissedCount] = createSignal(0)
  let isUnfolded = false
  const scroll = createFollowScroll({
    onEnd: () => setMissedCount(0),
    onTop: () => isUnfolded && unfold(),
  })

  // Memos, because another read mostly returns the same data, and then no row has to be checked.
  const timeline = createMemo(() => props.detail.timeline)
  const ticket = createMemo(() => props.detail.ticket)
  const rows = createMemo(() =>
    threadRows(timeline(), { unreadFrom: unreadFrom(), shownCount: shownCount() }),
  )
  const rowsById = createMemo(() => new Map(rows().map((row) => [row.id, row])))
  const rowIds = createMemo(() => rows().map(({ id }) => id))
  /** Messages sent from this tab that the server doesn't have yet. */
  const unsent = createMemo(() =>
    KINDS.filter((kind) => {
      const { sending, isSender } = props.composer.drafts[kind].state()
      return isSender && sending?.isOut
    }),
  )
  const isFolded = () => rows()[0]?.kind === 'earlier'

  /** Shows some more messages, and further ones on scrolling up. Hundreds at once would take a second. */
  function unfold() {
    isUnfolded = true
    if (isFolded()) scroll.keepPlace(() => setShownCount((count) => count + UNFOLDED_AT_ONCE))
  }

  /** Shows more messages until the thread fills the visible area. */
  function fill() {
    while (isFolded() && scroll.hasRoom()) setShownCount((count) => count + FILLED_AT_ONCE)
    scroll.start(mention)
  }

  /** Announces a message from someone else, counts it when it is out of view, and marks it when the tab is hidden. */
  function onNewEntry(entry: MessageOrNote) {
    if (entry.agentId === session().agent.id) return
    announce(announcementOf(entry, props.detail.ticket.customer.name))
    if (!scroll.isAtEnd()) setMissedCount((count) => count + 1)
    if (document.hidden && entry.kind === 'message' && !unreadFrom()) setUnreadFrom(entry.id)
  }

  createEffect(
    on(timeline, (entries, before) => {
      if (!before) return
      const known = new Set(before.map(({ id }) => id))
      for (const entry of entries) if (isMessageOrNote(entry) && !known.has(entry.id)) onNewEntry(entry)
    }),
  )
  createEffect(
    on(
      () => unsent().length + props.detail.waiting.length,
      (count, before = 0) => {
        if (count <= before) return
        // An agent who replies has read the messages above.
        setUnreadFrom(undefined)
        scroll.toEnd()
      },
      { defer: true },
    ),
  )
  const id = ticketId()
  setThreadOnScreen(id)
  onCleanup(() => setThreadOnScreen((now) => (now === id ? undefined : now)))
  // After this effect, so that each step of it is rendered before the next is measured.
  onMount(() => queueMicrotask(fill))
  onCleanup(scroll.stop)

  return (
    <div class="thread">
      <section class="thread-scroll" aria-label="Thread" ref={scroll.scroller}>
        <div class="thread-measure" ref={scroll.content}>
          <For each={rowIds()}>
            {(id) => {
              const row = createMemo<ThreadRow | undefined>((last) => rowsById().get(id) ?? last, undefined, {
                equals: isSameRow,
              })
              return (
                <Show when={row()}>
                  {(known) => (
                    <ThreadRowView
                      row={known()}
                      ticket={ticket()}
                      reply={props.detail.reply}
                      seen={props.detail.seen}
                      terms={props.terms}
                      onUnfold={unfold}
                    />
                  )}
                </Show>
              )
            }}
          </For>
          <NotYetSent detail={props.detail} composer={props.composer} unsent={unsent()} />
          <Show when={ticket().channel === 'widget'}>
            <ChatParts.Typing ticket={ticket()} />
          </Show>
        </div>
      </section>
      <Show when={missedCount() > 0}>
        <button type="button" class="thread-missed" onClick={scroll.toEnd}>
          {missedCount()} new {missedCount() === 1 ? 'message' : 'messages'}
          <ArrowDown />
        </button>
      </Show>
    </div>
  )
}

interface NotYetSentProps extends Pick<ThreadProps, 'detail' | 'composer'> {
  /** Of this tab, without an answer of the server. */
  unsent: (typeof KINDS)[number][]
}

/** At the end of the thread: what is being sent, and replies that wait. */
function NotYetSent(props: NotYetSentProps) {
  const waitingIds = createMemo(() => props.detail.waiting.map(({ id }) => id))
  return (
    <>
      <For each={props.unsent}>
        {(kind) => (
          <ThreadParts.SendingMessage
            kind={kind}
            draft={props.composer.drafts[kind]}
            onEdit={() => props.composer.returnTo(kind)}
          />
        )}
      </For>
      <For each={waitingIds()}>
        {(id) => {
          const reply = createMemo<WaitingReply | undefined>(
            (last) => props.detail.waiting.find((one) => one.id === id) ?? last,
          )
          return (
            <Show when={reply()}>
              {(known) => (
                <ThreadParts.WaitingReply
                  reply={known()}
                  detail={props.detail}
                  draft={props.composer.drafts.reply}
                  onEdit={() => props.composer.returnTo('reply')}
                />
              )}
            </Show>
          )
        }}
      </For>
    </>
  )
}

function announcementOf(entry: MessageOrNote, customer: string): string {
  if (entry.kind === 'note') return `${entry.agentName} added a note`
  if (entry.role === 'customer') return `New message from ${entry.authorName || customer}`
  return `${entry.agentName ?? 'A colleague'} replied`
}

interface ThreadRowViewProps {
  row: ThreadRow
  reply: ReplyDestination
  seen: TicketDetail['seen']
  ticket: Ticket
  terms: readonly string[]
  onUnfold: () => void
}

/** One row of a thread. */
function ThreadRowView(props: ThreadRowViewProps) {
  const as = <Kind extends ThreadRow['kind']>(kind: Kind) => only(props.row, kind)
  return (
    <Switch>
      <Match when={as('messages')}>
        {(row) => (
          <MessageGroup
            items={row().items}
            ticket={props.ticket}
            reply={props.reply}
            seen={props.seen}
            terms={props.terms}
          />
        )}
      </Match>
      <Match when={as('activity')}>{(row) => <ThreadParts.Activity items={row().items} />}</Match>
      <Match when={as('day')}>
        {(row) => (
          <h3 class="thread-day">
            <span>{dayName(row().at)}</span>
          </h3>
        )}
      </Match>
      <Match when={as('new')}>
        <p class="thread-new">
          <span>New</span>
        </p>
      </Match>
      <Match when={as('earlier')}>
        {(row) => (
          <button type="button" class="thread-earlier" onClick={props.onUnfold}>
            <ChevronsUpDown />
            {row().count} earlier messages
          </button>
        )}
      </Match>
    </Switch>
  )
}

function only<Kind extends ThreadRow['kind']>(row: ThreadRow, kind: Kind) {
  return isOf(row, kind) ? row : undefined
}

function isOf<Kind extends ThreadRow['kind']>(
  row: ThreadRow,
  kind: Kind,
): row is Extract<ThreadRow, { kind: Kind }> {
  return row.kind === kind
}
