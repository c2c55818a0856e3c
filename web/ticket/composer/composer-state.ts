import { type Accessor, createEffect, createSignal, on } from 'solid-js'
import { timeOfId } from '../../api/create-id.ts'
import { newestMessage } from '../thread/thread-rows.ts'
import type { TicketDetail } from '../ticket-query.ts'
import { type DraftKind, isBlank } from './draft-state.ts'
import { draftOf, type OpenDraft, readFromTicket } from './drafts.ts'
import type { SendChoice } from './send-choice.ts'
import { offerUndo } from './waiting-replies.ts'

/** Both drafts of the agent on one ticket, which of them is shown, and sending it. */
export interface ComposerState {
  drafts: Record<DraftKind, OpenDraft>
  kind: Accessor<DraftKind>
  show: (kind: DraftKind) => void
  shown: Accessor<OpenDraft>
  /** Whether there is text to send and nothing is being sent, because that may still return to the field. */
  canSend: Accessor<boolean>
  send: (choice: SendChoice) => void
  /** The text is in its field again. */
  returnTo: (kind: DraftKind) => void
}

interface ComposerInput {
  detail: () => TicketDetail
  agentId: string
  /** Puts the cursor into the field. */
  focus: () => void
  /** Opens this ticket again, wherever the agent is now. */
  open: () => void
}

/** The newest message the agent has seen: on the server, replies count from when they were written until they are sent. */
interface SeenMessage {
  id: string
  at: number
}

const KINDS: DraftKind[] = ['reply', 'note']

/** The newest reply this page has sent per ticket, so that the next one isn't held as a second answer. */
const lastSent = new Map<string, SeenMessage>()

/** The composer's state on one ticket. It opens with the draft edited last. */
export function createComposerState({ detail, agentId, focus, open }: ComposerInput): ComposerState {
  const ticketId = detail().ticket.id
  const drafts = { reply: draftOf(agentId, ticketId, 'reply'), note: draftOf(agentId, ticketId, 'note') }
  for (const kind of KINDS) drafts[kind].dispatch({ type: 'opened' })
  readAll()
  createEffect(on(detail, readAll, { defer: true }))
  const [kind, show] = createSignal<DraftKind>(writtenLast(drafts))
  const shown = () => drafts[kind()]
  /** The newest message when the agent started to write. Later replies are new to them. */
  let seen = newestSeen(detail())
  createEffect(() => {
    if (isBlank(drafts.reply.state())) seen = newestSeen(detail())
  })

  function readAll() {
    for (const one of KINDS) readFromTicket(drafts[one], one, detail())
  }

  function returnTo(returned: DraftKind) {
    show(returned)
    open()
    focus()
  }

  function sendReply({ thenStatus }: SendChoice) {
    const { id: after } = newer(seen, lastSent.get(ticketId))
    const undone = { ticketId, draft: drafts.reply, agentId }
    drafts.reply.send({
      after,
      status: thenStatus,
      onAccepted(id) {
        lastSent.set(ticketId, { id, at: timeOfId(id) })
        offerUndo(undone, id, () => returnTo('reply'))
      },
    })
  }

  const canSend = () => !isBlank(shown().state()) && !shown().state().sending?.isOut
  return {
    drafts,
    kind,
    show,
    shown,
    canSend,
    send(choice) {
      if (!canSend()) return
      if (kind() === 'reply') sendReply(choice)
      else drafts.note.send({ after: '' })
    },
    returnTo,
  }
}

function newestSeen({ timeline, waiting }: TicketDetail): SeenMessage {
  const message = newestMessage(timeline)
  const sent = { id: message?.id ?? '', at: Date.parse(message?.createdAt ?? '') || 0 }
  return waiting.reduce((seen, { id }) => newer(seen, { id, at: timeOfId(id) }), sent)
}

function newer(one: SeenMessage, other: SeenMessage | undefined): SeenMessage {
  return other && other.at > one.at ? other : one
}

function writtenLast({ reply, note }: ComposerState['drafts']): DraftKind {
  if (isBlank(note.state())) return 'reply'
  return isBlank(reply.state()) || note.state().changedAt > reply.state().changedAt ? 'note' : 'reply'
}
