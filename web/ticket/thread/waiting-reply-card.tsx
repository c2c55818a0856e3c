import Clock from 'lucide-solid/icons/clock'
import { createEffect, createMemo, Match, onCleanup, Show, Switch } from 'solid-js'
import { useSession } from '../../api/session.ts'
import { useAgents } from '../../api/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SecondsLeft } from '../../ui/seconds-left.tsx'
import type { DraftKeeper } from '../composer/draft-keeper.ts'
import { discard, sendNow, takeBack } from '../composer/replies.ts'
import { leaveFocusToPane } from '../focus-in-pane.ts'
import { readTicketAgain, type TicketDetail, type WaitingReply } from '../ticket-query.ts'
import { MessageText } from './message-text.tsx'
import { newestByOthers } from './thread-rows.ts'

interface WaitingReplyCardProps {
  reply: WaitingReply
  detail: TicketDetail
  draft: DraftKeeper
  /** The text is back in the field. */
  onEdit: () => void
}

/** Live hints say when it has gone; without them the thread is read again this long after its time. */
const LOOK_AGAIN_AFTER_MS = 1_500
const LONGEST_WAIT_MS = 10_000

/** A reply between Send and gone: it can be taken back, and it waits when somebody else has answered meanwhile. */
export function WaitingReplyCard(props: WaitingReplyCardProps) {
  const session = useSession()
  const agents = useAgents()
  /** Of somebody who is disabled it is whoever's who takes care of it, whatever it was held for last. */
  const isLeftBehind = () =>
    props.reply.heldBecause === 'disabled' ||
    agents().some(({ id, state }) => id === props.reply.agentId && state === 'disabled')
  const isMine = () => props.reply.agentId === session().agent.id || isLeftBehind()
  const ticketId = () => props.detail.ticket.id
  /** Clocks differ: never longer than the server waits. */
  const goesAt = createMemo(() => Math.min(Date.parse(props.reply.sendAt), Date.now() + LONGEST_WAIT_MS))

  createEffect(() => {
    if (props.reply.isHeld) return
    const look = () => void readTicketAgain(ticketId())
    const timer = setTimeout(look, Math.max(0, goesAt() - Date.now()) + LOOK_AGAIN_AFTER_MS)
    onCleanup(() => clearTimeout(timer))
  })

  let card: HTMLElement | undefined
  leaveFocusToPane(() => card)

  async function edit() {
    if (await takeBack(ticketId(), props.reply.id, props.draft)) props.onEdit()
  }

  return (
    <article
      class="speech"
      data-who={props.reply.isHeld ? 'held' : 'waiting'}
      aria-label="Reply that waits"
      ref={card}
    >
      <Avatar name={props.reply.agentName} id={props.reply.agentId} isDecorative />
      <div class="speech-body">
        <header class="speech-head">
          <span class="speech-name">{props.reply.agentName}</span>
          <Switch>
            <Match when={props.reply.isHeld}>
              <span class="speech-kind">
                <Clock />
                Held
              </span>
            </Match>
            <Match when={!props.reply.isHeld}>
              <span class="speech-time">
                Sends in
                <SecondsLeft until={goesAt()} />
                <Show when={props.reply.thenStatus}>{(status) => <>, then {status()}</>}</Show>
              </span>
            </Match>
          </Switch>
        </header>
        <Show when={props.reply.isHeld}>
          <p class="held-reason">
            <HeldReason detail={props.detail} reply={props.reply} />
          </p>
        </Show>
        <div class="speech-item">
          <MessageText text={props.reply.text} />
        </div>
        <Show when={isMine()}>
          <div class="waiting-actions">
            <Show
              when={props.reply.isHeld}
              fallback={
                <>
                  <Button size="small" onClick={edit}>
                    Undo
                  </Button>
                  <Button size="small" look="quiet" onClick={() => void sendNow(ticketId(), props.reply.id)}>
                    Send now
                  </Button>
                </>
              }
            >
              <Button size="small" look="primary" onClick={() => void sendNow(ticketId(), props.reply.id)}>
                {props.reply.heldBecause === 'answered' ? 'Send anyway' : 'Send'}
              </Button>
              <Button size="small" onClick={edit}>
                Edit
              </Button>
              <Button
                size="small"
                look="quiet"
                onClick={() => void discard(ticketId(), props.reply.id, props.draft)}
              >
                Discard
              </Button>
            </Show>
          </div>
        </Show>
      </div>
    </article>
  )
}

/** "Ben replied 10 s ago, so this has not been sent." */
function HeldReason(props: { detail: TicketDetail; reply: WaitingReply }) {
  const other = () => newestByOthers(props.detail.timeline, props.reply.agentId)
  return (
    <Switch fallback="Somebody else has replied, so this has not been sent.">
      <Match when={props.reply.heldBecause === 'disabled'}>
        {props.reply.agentName} is disabled, so this has not been sent. You can send it in your name.
      </Match>
      <Match when={props.reply.heldBecause === 'too_long'}>
        This was taken back, but it is too long to be put before what you have begun. Send or shorten that
        first.
      </Match>
      <Match when={other()}>
        {(message) => (
          <>
            {message().agentName ?? 'Somebody'} replied <RelativeTime at={message().createdAt} isLong />, so
            this has not been sent.
          </>
        )}
      </Match>
    </Switch>
  )
}
