import ArrowDown from 'lucide-solid/icons/arrow-down'
import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { announce } from '../../ui/announcer.tsx'
import { hasHit } from '../../ui/marked.tsx'
import type { DraftKeeper } from '../composer/draft-keeper.ts'
import { hasArrived } from '../composer/has-arrived.ts'
import { createFollowing } from './follow-scroll.ts'
import { OutgoingCard } from './unsent-message-card.tsx'
import { outgoingOf } from './unsent-messages.ts'
import './thread.css'
import type { TicketDetail } from '../ticket-query.ts'
import { ThreadRowView } from './thread-row.tsx'
import {
  countFrom,
  firstUnread,
  isSameRow,
  isSpeech,
  type Speech,
  type ThreadRow,
  threadRows,
} from './thread-rows.ts'
import { WaitingReplyCard } from './waiting-reply-card.tsx'

const UNFOLDED_AT_ONCE = 30
const FILLED_AT_ONCE = 3

interface ThreadProps {
  detail: TicketDetail
  /** Where a reply goes that is taken back. */
  draft: DraftKeeper
  terms: readonly string[]
  onEdit: () => void
}

/** All that was said on a ticket and what was done to it, oldest first. It stays where the reader is. */
export function Thread(props: ThreadProps) {
  const session = useSession()
  const ticketId = () => props.detail.ticket.id
  // What was searched for is not folded away.
  const countAtFirst = countFrom(props.detail.timeline, (text) => hasHit(text, props.terms))
  const [shownCount, setShownCount] = createSignal(countAtFirst)
  const [unreadFrom, setUnreadFrom] = createSignal(firstUnread(props.detail.timeline, props.detail.readUpTo))
  const [missedCount, setMissedCount] = createSignal(0)
  let isUnfolded = false
  const following = createFollowing({
    onEnd: () => setMissedCount(0),
    onTop: () => isUnfolded && unfold(),
  })

  // Memos, because what is read again is mostly the same, and then no row has to be checked.
  const timeline = createMemo(() => props.detail.timeline)
  const customer = createMemo(() => props.detail.ticket.customer)
  const rows = createMemo(() =>
    threadRows(timeline(), { unreadFrom: unreadFrom(), shownCount: shownCount() }),
  )
  const rowsById = createMemo(() => new Map(rows().map((row) => [row.id, row])))
  const rowIds = createMemo(() => rows().map(({ id }) => id))
  /** What the thread shows already needs no second place, even if the answer is still to come. */
  const onItsWay = createMemo(() =>
    outgoingOf(ticketId()).filter(({ kind, text, after }) => {
      const where = { kind, agentId: session().agent.id, detail: props.detail }
      return !hasArrived({ tried: [text], after }, where)
    }),
  )
  const isFolded = () => rows()[0]?.kind === 'earlier'

  /** Shows some more, and the next ones when the reader scrolls up to them: hundreds at once would take a second. */
  function unfold() {
    isUnfolded = true
    if (isFolded()) following.keepPlace(() => setShownCount((count) => count + UNFOLDED_AT_ONCE))
  }

  /** Folds only what doesn't fit: shows more until the thread fills its place. */
  function fill() {
    while (isFolded() && following.hasRoom()) setShownCount((count) => count + FILLED_AT_ONCE)
    following.start()
  }

  /** Something new from somebody else: said aloud, counted when it is out of sight, marked when nobody looks. */
  function spoken(speech: Speech) {
    if (speech.agentId === session().agent.id) return
    announce(newsOf(speech, props.detail.ticket.customer.name))
    if (!following.isAtEnd()) setMissedCount((count) => count + 1)
    if (document.hidden && speech.kind === 'message' && !unreadFrom()) setUnreadFrom(speech.id)
  }

  createEffect(
    on(timeline, (entries, before) => {
      if (!before) return
      const known = new Set(before.map(({ id }) => id))
      for (const entry of entries) if (isSpeech(entry) && !known.has(entry.id)) spoken(entry)
    }),
  )
  createEffect(
    on(
      () => outgoingOf(ticketId()).length + props.detail.waiting.length,
      (count, before = 0) => {
        if (count <= before) return
        // Who replies has read what is above.
        setUnreadFrom(undefined)
        following.toEnd()
      },
      { defer: true },
    ),
  )
  // After this effect, so that each step of it is rendered before the next is measured.
  onMount(() => queueMicrotask(fill))
  onCleanup(following.stop)

  return (
    <div class="thread">
      <section class="thread-scroll" aria-label="Thread" ref={following.scroller}>
        <div class="thread-measure" ref={following.content}>
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
                      ticketId={ticketId()}
                      channel={props.detail.ticket.channel}
                      customer={customer()}
                      terms={props.terms}
                      onUnfold={unfold}
                    />
                  )}
                </Show>
              )
            }}
          </For>
          <For each={onItsWay()}>{(one) => <OutgoingCard outgoing={one} />}</For>
          <For each={props.detail.waiting}>
            {(reply) => (
              <WaitingReplyCard
                reply={reply}
                detail={props.detail}
                draft={props.draft}
                onEdit={props.onEdit}
              />
            )}
          </For>
        </div>
      </section>
      <Show when={missedCount() > 0}>
        <button type="button" class="thread-missed" onClick={following.toEnd}>
          {missedCount()} new {missedCount() === 1 ? 'message' : 'messages'}
          <ArrowDown />
        </button>
      </Show>
    </div>
  )
}

function newsOf(speech: Speech, customer: string): string {
  if (speech.kind === 'note') return `${speech.agentName} added a note`
  if (speech.role === 'customer') return `New message from ${customer}`
  return `${speech.agentName ?? 'A colleague'} replied`
}
