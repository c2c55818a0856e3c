import { batch } from 'solid-js'
import { api, ask } from '../api.ts'
import { ApiProblem, sentenceOf } from '../problem.ts'
import { queries } from '../queries.ts'
import { toast, toastError } from '../ui/toaster.tsx'
import type { DraftKeeper } from './draft.ts'
import { addOutgoing } from './outgoing.ts'
import { patchTicket, type TicketStatus, type WaitingReply } from './ticket-data.ts'
import { pushUndo } from './undo.ts'

/** How long the server lets a reply be taken back. */
const TAKEN_BACK_WITHIN_MS = 10_000

interface ReplyToSend {
  ticketId: string
  draft: DraftKeeper
  /** The newest message the agent had seen when they began to write. */
  lastMessageId: string
  thenStatus?: TicketStatus
  /** Although somebody else has answered meanwhile. */
  isForced?: boolean
  /** After an Undo: shows the ticket again, with the text in its field. */
  onTakenBack: () => void
}

/** How it went; `answered` is when a colleague was faster, and nothing was sent. */
export type Sent = 'waiting' | 'answered' | 'failed'

/** Forgets the Undo of a reply that has gone. */
const undos = new Map<string, () => void>()

/** Hands a reply to the server, which sends it ten seconds later. The text is put back when it does not take it. */
export async function sendReply(reply: ReplyToSend): Promise<Sent> {
  const { ticketId, draft, lastMessageId, thenStatus, isForced } = reply
  const text = draft.text()
  const takeAway = addOutgoing({ ticketId, kind: 'reply', text })
  await draft.beginSend()
  try {
    const body = { text, lastMessageId, thenStatus, ...(isForced ? { force: true } : {}) }
    const waiting = await ask(api.console.tickets({ id: ticketId }).replies.post(body))
    batch(() => {
      takeAway()
      addWaiting(ticketId, waiting)
      draft.gone('reply')
    })
    offerUndo(reply, waiting)
    return 'waiting'
  } catch (error) {
    batch(() => {
      takeAway()
      draft.putBack(text, 'reply')
    })
    if (error instanceof ApiProblem && error.code === 'answered_meanwhile') return 'answered'
    toastError(`Your reply was not sent, and its text is kept. ${sentenceOf(error)}`)
    return 'failed'
  }
}

/** Adds a note to the thread. Nobody but agents sees it. */
export async function addNote(ticketId: string, draft: DraftKeeper): Promise<boolean> {
  const text = draft.text()
  const takeAway = addOutgoing({ ticketId, kind: 'note', text })
  await draft.beginSend()
  try {
    const note = await ask(api.console.tickets({ id: ticketId }).notes.post({ text }))
    batch(() => {
      takeAway()
      patchTicket(ticketId, (known) => ({
        ...known,
        draft: null,
        timeline: known.timeline.some(({ id }) => id === note.id)
          ? known.timeline
          : [...known.timeline, note],
      }))
      draft.gone('note')
    })
    return true
  } catch (error) {
    batch(() => {
      takeAway()
      draft.putBack(text, 'note')
    })
    toastError(`Your note was not added, and its text is kept. ${sentenceOf(error)}`)
    return false
  }
}

/** Takes a waiting reply back; its text is the draft again. */
export async function takeBack(ticketId: string, replyId: string, draft: DraftKeeper): Promise<boolean> {
  try {
    await draft.settle()
    const { kind, text } = await ask(api.console.tickets({ id: ticketId }).replies({ replyId }).delete())
    batch(() => {
      removeWaiting(ticketId, replyId)
      draft.replace(text, kind)
    })
    return true
  } catch (error) {
    refresh(ticketId)
    if (error instanceof ApiProblem && error.code === 'already_sent') toast('It has been sent already.')
    else toastError(sentenceOf(error))
    return false
  }
}

/** Sends a waiting reply now, also one that is held. */
export async function sendNow(ticketId: string, replyId: string): Promise<void> {
  try {
    await ask(api.console.tickets({ id: ticketId }).replies({ replyId }).send.post())
    forgetUndo(replyId)
  } catch (error) {
    if (!(error instanceof ApiProblem && error.code === 'already_sent')) toastError(sentenceOf(error))
  }
  refresh(ticketId)
}

/** Throws a held reply away, with an Undo that makes it the draft again. */
export async function discard(ticketId: string, replyId: string, draft: DraftKeeper): Promise<void> {
  const before = draft.text()
  if (!(await takeBack(ticketId, replyId, draft))) return
  const taken = draft.text()
  draft.write(before)
  draft.flush()
  pushUndo({ label: 'Reply discarded', undo: () => draft.write(taken) })
}

/** A failed message goes again. */
export async function retry(ticketId: string, messageId: string): Promise<void> {
  try {
    await ask(api.console.messages({ id: messageId }).retry.post())
  } catch (error) {
    toastError(sentenceOf(error))
  }
  refresh(ticketId)
}

function offerUndo(reply: ReplyToSend, waiting: WaitingReply): void {
  const forget = pushUndo({
    label: waiting.thenStatus === 'resolved' ? 'Sending, then resolving' : 'Sending',
    endsAt: Date.now() + TAKEN_BACK_WITHIN_MS,
    undo: async () => {
      undos.delete(waiting.id)
      if (await takeBack(reply.ticketId, waiting.id, reply.draft)) reply.onTakenBack()
    },
  })
  undos.set(waiting.id, forget)
}

/** It was taken back in the thread, or has gone: the toast must not offer it any more. */
export function forgetUndo(replyId: string): void {
  undos.get(replyId)?.()
  undos.delete(replyId)
}

function addWaiting(ticketId: string, waiting: WaitingReply): void {
  patchTicket(ticketId, (known) => ({
    ...known,
    draft: null,
    waiting: [...known.waiting.filter(({ id }) => id !== waiting.id), waiting],
  }))
}

function removeWaiting(ticketId: string, replyId: string): void {
  forgetUndo(replyId)
  patchTicket(ticketId, (known) => ({
    ...known,
    waiting: known.waiting.filter(({ id }) => id !== replyId),
  }))
}

function refresh(ticketId: string): void {
  void queries.invalidateQueries({ queryKey: ['ticket', ticketId] })
}
