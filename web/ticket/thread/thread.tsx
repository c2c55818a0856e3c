import ArrowDown from 'lucide-solid/icons/arrow-down'
import { createEffect, createMemo, createSignal, For, on, onCleanup, onMount, Show } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { announce } from '../../ui/announcer.tsx'
import { hasHit } from '../../ui/marked.tsx'
import type { ComposerState } from '../composer/composer-state.ts'
import { setThreadOnScreen } from '../composer/waiting-replies.ts'
import { createFollowing } from './follow-scroll.ts'
import { UnsentMessageCard } from './unsent-message-card.tsx'
import './thread.css'
import type { TicketDetail, WaitingReply } from '../ticket-query.ts'
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
const KINDS = ['reply', 'note'] as const

interface ThreadProps {
  detail: TicketDetail
  composer: ComposerState
  terms: readonly string[]
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
  /** Sent from this tab, and not on the server yet. */
  const unsent = createMemo(() =>
    KINDS.filter((kind) => {
      const { sending, isSender } = props.composer.drafts[kind].state()
      return isSender && sending?.isOut
    }),
  )
  const waitingIds = createMemo(() => props.detail.waiting.map(({ id }) => id))
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
      () => unsent().length + props.detail.waiting.length,
      (count, before = 0) => {
        if (count <= before) return
        // Who replies has read what is above.
        setUnreadFrom(undefined)
        following.toEnd()
      },
      { defer: true },
    ),
  )
  const id = ticketId()
  setThreadOnScreen(id)
  onCleanup(() => setThreadOnScreen((now) => (now === id ? undefined : now)))
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
          <For each={unsent()}>
            {(kind) => (
              <UnsentMessageCard
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
                    <WaitingReplyCard
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
