import { createEffect, createSignal } from 'solid-js'
import { toastError } from '../../ui/toaster.tsx'
import { pushUndo } from '../changes/undo.ts'
import { newestByOthers, newestMessage } from '../thread/thread-rows.ts'
import { readTicketAgain, type TicketDetail } from '../ticket-query.ts'
import { type Answer, answerOfMine } from './concurrent-reply.ts'
import type { Drafts } from './drafts.ts'
import { newestId } from './has-arrived.ts'
import { addNote, sendReply } from './replies.ts'
import type { SendChoice } from './send-choice.ts'
import type { DraftKind } from './stored-draft.ts'
import type { HandedOver } from './submit.ts'

export type Composing = ReturnType<typeof createComposing>

interface ComposingInput {
  detail: () => TicketDetail
  drafts: Drafts
  myId: () => string
  /** Puts the cursor into the field. */
  focus: () => void
  /** Shows this ticket again, from wherever the agent is by then. */
  show: () => void
}

/** Tickets whose reply waits for a decision: they keep asking when they are opened again. With what the agent has sent from another page. */
const [asking, setAsking] = createSignal<ReadonlyMap<string, Answer | undefined>>(new Map())

/** What the composer does: sends, adds notes, and asks when a colleague was faster. */
export function createComposing({ detail, drafts, myId, focus, show }: ComposingInput) {
  const ticketId = detail().ticket.id
  const { reply } = drafts.of
  const newest = () => newestMessage(detail().timeline)?.id ?? ''
  /** What the agent had before their eyes when they began to write: an answer that comes later is news to them. */
  let seen = seenNow()
  createEffect(() => {
    if (reply.isBlank()) seen = seenNow()
  })

  function seenNow() {
    return { lastMessageId: newest(), knownReplies: detail().waiting.map(({ id }) => id) }
  }

  function ask(own: Answer | undefined) {
    setAsking((before) => new Map(before).set(ticketId, own))
  }

  function stopAsking() {
    setAsking((before) => new Map([...before].filter(([id]) => id !== ticketId)))
  }

  function written(kind: DraftKind) {
    const onTakenBack = () => back(kind)
    return { ticketId, draft: drafts.of[kind], after: newestId(detail()), onTakenBack }
  }

  async function send({ thenStatus }: SendChoice, isForced = false) {
    const before = seen
    const sent = await sendReply({ ...written('reply'), ...before, thenStatus, isForced })
    if (sent !== 'taken') seen = before
    if (sent !== 'answered') return sent
    ask(undefined)
    drafts.show('reply')
    await readTicketAgain(ticketId)
    ask(answerOfMine(detail(), myId(), before))
    return sent
  }

  function back(kind: DraftKind) {
    drafts.show(kind)
    show()
    focus()
  }

  function handOver(choice: SendChoice): Promise<HandedOver> {
    return drafts.kind() === 'note' ? addNote(written('note')) : send(choice)
  }

  /** One after the other: what is on its way may still come back into the field. */
  const isReady = () => !drafts.shown().isBlank() && !drafts.shown().attempt()?.isOut

  return {
    isReady,
    isAsking: () => asking().has(ticketId) && drafts.kind() === 'reply',
    /** What a colleague wrote meanwhile, or the agent on another page. */
    answer: (): Answer | undefined => asking().get(ticketId) ?? newestByOthers(detail().timeline, myId()),
    /** A reply that was taken back is in its field. */
    back: () => back('reply'),
    async submit(choice: SendChoice): Promise<void> {
      if (isReady()) await handOver(choice)
    },
    /** Goes on with the next ticket at once; comes to speak of this one when it was not sent. */
    async submitAndLeave(choice: SendChoice, leave: () => void): Promise<void> {
      if (!isReady()) return
      const done = handOver(choice)
      leave()
      const result = await done
      if (result === 'answered') {
        toastError(`${whoReplied(asking().get(ticketId))} meanwhile, so your reply was not sent.`, {
          text: 'Show',
          run: show,
        })
      }
    },
    async sendAnyway(choice: SendChoice) {
      stopAsking()
      if (!reply.isBlank()) await send(choice, true)
    },
    edit() {
      seen = seenNow()
      stopAsking()
      focus()
    },
    discard() {
      const text = reply.text()
      stopAsking()
      reply.write('')
      reply.drop()
      reply.flush()
      pushUndo({ label: 'Reply discarded', undo: () => reply.putBack(text, null) })
      focus()
    },
  }
}

function whoReplied(own: Answer | undefined): string {
  return own ? 'You have replied from another page' : 'A colleague has replied'
}
