import Clock from 'lucide-solid/icons/clock'
import { createEffect, createMemo, Match, onCleanup, onMount, Show, Switch } from 'solid-js'
import { timeOfId } from '../../api/create-id.ts'
import { toLocalTime, undoEndsAt } from '../../api/server-clock.ts'
import { useSession } from '../../api/session.ts'
import { useAgents } from '../../api/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Button } from '../../ui/button.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { SecondsLeft } from '../../ui/seconds-left.tsx'
import { useActionList } from '../changes/action-words.ts'
import { discardReply, sendNow, takeBack } from '../composer/waiting-replies.ts'
import type { OpenDraft } from '../draft/drafts.ts'
import { hasPaneFocus, leaveFocusToPane } from '../focus-in-pane.ts'
import { recipientLine } from '../mail/mail-addresses.ts'
import { readTicketAgain, type TicketDetail, type WaitingReply } from '../ticket-query.ts'
import { MessageContent } from './message-text.tsx'
import { comingTime } from './times.ts'

interface WaitingReplyCardProps {
  reply: WaitingReply
  detail: TicketDetail
  draft: OpenDraft
  /** The text is in the field again. */
  onEdit: () => void
}

/** Live updates say when a reply is sent; without them, the thread is read again this long after its time. */
const READ_AGAIN_AFTER_MS = 1_500
const JUST_SENT_MS = 5_000

/** A reply that is not sent yet: it waits for ten seconds or for its time, or is held because someone else wrote. */
export function WaitingReplyCard(props: WaitingReplyCardProps) {
  const session = useSession()
  const agents = useAgents()
  const isHeld = () => props.reply.isHeld
  /** Anyone can decide about the reply of an agent who is disabled. */
  const isOrphaned = () =>
    props.reply.heldBecause === 'disabled' ||
    agents().some(({ id, state }) => id === props.reply.agentId && state === 'disabled')
  const isMine = () => props.reply.agentId === session().agent.id || isOrphaned()
  const ticketId = () => props.detail.ticket.id
  const sentAt = createMemo(() => undoEndsAt(props.reply))
  const actionsOf = useActionList()
  const actionWords = () =>
    actionsOf(props.reply.actions)
      .map(({ words }) => words)
      .join(', ')
  const inputOf = () => ({
    ticketId: ticketId(),
    reply: props.reply,
    draft: props.draft,
    agentId: session().agent.id,
  })

  createEffect(() => {
    if (isHeld() || props.reply.isLater) return
    const readAgain = () => void readTicketAgain(ticketId())
    const timer = setTimeout(readAgain, Math.max(0, sentAt() - Date.now()) + READ_AGAIN_AFTER_MS)
    onCleanup(() => clearTimeout(timer))
  })

  let card: HTMLElement | undefined
  leaveFocusToPane(() => card)

  async function edit() {
    if (await takeBack(inputOf())) props.onEdit()
  }

  return (
    <article
      class="message-group"
      data-who={isHeld() ? 'held' : 'waiting'}
      aria-label={isHeld() ? 'Held reply' : props.reply.isLater ? 'Scheduled reply' : 'Queued reply'}
      ref={card}
    >
      <Avatar name={props.reply.agentName} id={props.reply.agentId} isDecorative />
      <div class="message-group-body">
        <header class="message-group-head">
          <span class="message-group-name">{props.reply.agentName}</span>
          <Show
            when={isHeld()}
            fallback={
              <span class="message-group-time">
                <Show when={props.reply.isLater} fallback={<SendsIn until={sentAt()} />}>
                  Sends {comingTime(new Date(toLocalTime(Date.parse(props.reply.sendAt))))}
                </Show>
                <Show when={actionWords()}>{(words) => <>, then {words()}</>}</Show>
              </span>
            }
          >
            <span class="message-group-kind">
              <Clock />
              Held
            </span>
          </Show>
        </header>
        <Show when={props.reply.recipients}>
          {(recipients) => <p class="message-status">{recipientLine(recipients())}</p>}
        </Show>
        <Show when={isHeld()} fallback={<CustomerWrote detail={props.detail} reply={props.reply} />}>
          <HeldReason detail={props.detail} reply={props.reply} />
        </Show>
        <div class="message-group-item">
          <MessageContent
            text={props.reply.text}
            format={props.reply.format}
            attachments={props.reply.attachments}
          />
        </div>
        <Show when={isMine()}>
          <div class="message-group-actions">
            <Show
              when={isHeld()}
              fallback={
                <>
                  <Button size="small" onClick={edit}>
                    {props.reply.isLater ? 'Edit' : 'Undo'}
                  </Button>
                  <Button size="small" look="quiet" onClick={() => void sendNow(ticketId(), props.reply.id)}>
                    Send now
                  </Button>
                </>
              }
            >
              <Button size="small" look="primary" onClick={() => void sendNow(ticketId(), props.reply.id)}>
                {isHeldUnlessForced(props.reply) ? 'Send anyway' : 'Send'}
              </Button>
              <EditHeld reply={props.reply} onEdit={edit} />
            </Show>
            <Show when={isHeld() || props.reply.isLater}>
              <Button size="small" look="quiet" onClick={() => void discardReply(inputOf())}>
                {isHeld() ? 'Discard' : 'Cancel'}
              </Button>
            </Show>
          </div>
        </Show>
      </div>
    </article>
  )
}

function SendsIn(props: { until: number }) {
  return (
    <>
      Sends in
      <SecondsLeft until={props.until} />
    </>
  )
}

/** As in server/messages/waiting-message.ts. */
function isHeldUnlessForced({ heldBecause }: WaitingReply): boolean {
  return heldBecause !== 'disabled' && heldBecause !== 'too_long'
}

/** A reply that is sent later will be held, because the customer wrote after it. */
function CustomerWrote(props: HeldReasonProps) {
  const hasWritten = () => {
    const written = timeOfId(props.reply.id)
    return props.detail.timeline.some(
      (entry) =>
        entry.kind === 'message' &&
        entry.role === 'customer' &&
        !entry.isAutomatic &&
        entry.author !== 'third_party' &&
        Date.parse(entry.createdAt) > written,
    )
  }
  return (
    <Show when={props.reply.isLater && hasWritten()}>
      <p class="held-reason">
        {props.detail.ticket.customer.name} wrote since, so this will be held. Send it now, or edit it.
      </p>
    </Show>
  )
}

/** Takes the focus that Send has left to the ticket, while the agent is still there. */
function EditHeld(props: { reply: WaitingReply; onEdit: () => void }) {
  let button: HTMLButtonElement | undefined
  onMount(() => {
    const isJustSent = Date.now() - toLocalTime(timeOfId(props.reply.id)) < JUST_SENT_MS
    if (isJustSent && hasPaneFocus()) button?.focus()
  })
  return (
    <Button size="small" ref={button} onClick={props.onEdit}>
      Edit
    </Button>
  )
}

interface HeldReasonProps {
  detail: TicketDetail
  reply: WaitingReply
}

/** Why a reply is held. Another agent's reply is above it in the thread. */
function HeldReason(props: HeldReasonProps) {
  return (
    <Switch fallback={<ConcurrentReply {...props} />}>
      <Match when={props.reply.heldBecause === 'customer_wrote'}>
        <p class="held-reason">Not sent: {props.detail.ticket.customer.name} wrote after you scheduled it.</p>
      </Match>
      <Match when={props.reply.heldBecause === 'not_by_email'}>
        <p class="held-reason">
          Not sent: the ticket was merged into one that isn't answered by email. Sent anyway, it goes to your
          integration only.
        </p>
      </Match>
      <Match when={props.reply.heldBecause === 'disabled'}>
        <p class="held-reason">
          Not sent: {props.reply.agentName} is disabled, or their program was disconnected. You can send it
          under your name.
        </p>
      </Match>
      <Match when={props.reply.heldBecause === 'too_long'}>
        <p class="held-reason">
          Not sent: too long to merge with your current draft. Send or shorten that first.
        </p>
      </Match>
    </Switch>
  )
}

/** "Cy replied just now". */
function ConcurrentReply(props: HeldReasonProps) {
  const other = () => newestOther(props.reply, props.detail)
  return (
    <Show when={other()} fallback={<p class="held-reason">A colleague just replied.</p>}>
      {(reply) => (
        <p class="held-reason">
          {reply().agentId === props.reply.agentId
            ? 'You replied in another tab'
            : `${reply().agentName ?? 'A colleague'} replied`}{' '}
          <RelativeTime at={reply().at} isLong />
        </p>
      )}
    </Show>
  )
}

interface OtherReply {
  at: string
  agentId?: string | undefined
  agentName?: string | undefined
}

/** The newest reply of someone else, or an earlier one of the same agent, which may wait itself. */
function newestOther(reply: WaitingReply, { timeline, waiting }: TicketDetail): OtherReply | undefined {
  const isOther = (id: string, agentId: string | undefined) => agentId !== reply.agentId || id < reply.id
  const sent = timeline.flatMap((entry): OtherReply[] => {
    const isReply = entry.kind === 'message' && entry.role === 'agent' && isOther(entry.id, entry.agentId)
    return isReply ? [{ ...entry, at: entry.createdAt }] : []
  })
  const queued = waiting.flatMap((one): OtherReply[] => {
    const isQueued = one.id !== reply.id && !one.isHeld && one.agentId === reply.agentId && one.id < reply.id
    return isQueued ? [{ ...one, at: new Date(timeOfId(one.id)).toISOString() }] : []
  })
  return queued.at(-1) ?? sent.at(-1)
}
