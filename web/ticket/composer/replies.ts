import { batch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { codeOf, errorMessage } from '../../api/api-problem.ts'
import { toast, toastError } from '../../ui/toaster.tsx'
import { pushUndo } from '../changes/undo.ts'
import { patchTicket, readTicketAgain, type TicketStatus, type WaitingReply } from '../ticket-query.ts'
import type { DraftKeeper } from './draft-keeper.ts'
import { type HandedOver, handOver } from './submit.ts'

/** How long the server lets a reply be taken back. */
export const TAKEN_BACK_WITHIN_MS = 10_000
const MOST_REMEMBERED = 100

interface ReplyToSend {
  ticketId: string
  draft: DraftKeeper
  /** The newest message the agent had seen when they began to write. */
  lastMessageId: string
  /** Their own replies that they had seen by then. */
  knownReplies: string[]
  /** The newest id of the thread. */
  after: string
  thenStatus?: TicketStatus
  /** Although somebody else has answered meanwhile. */
  isForced?: boolean
  /** After an Undo: shows the ticket again, with the text in its field. */
  onTakenBack: () => void
}

/** Forgets the Undo of a reply that has gone. */
const undos = new Map<string, () => void>()

/** Replies that this page has sent: what it sends next is no second answer by mistake. */
let sent: string[] = []
export const sentHere = () => sent

/** Hands a reply to the server, which sends it ten seconds later. */
export function sendReply(reply: ReplyToSend): Promise<HandedOver> {
  const { ticketId, draft, lastMessageId, thenStatus, isForced } = reply
  const knownReplies = [...reply.knownReplies.slice(-MOST_REMEMBERED), ...sent]
  return handOver(
    { ...reply, kind: 'reply' },
    (text, how) => {
      const force = isForced ? { force: true } : {}
      const body = { text, base: draft.base(), lastMessageId, knownReplies, thenStatus, ...force }
      return ask(api.console.tickets({ id: ticketId }).replies.post(body, how))
    },
    (waiting) => {
      sent = [...sent, waiting.id].slice(-MOST_REMEMBERED)
      addWaiting(ticketId, waiting)
      offerUndo(reply, waiting)
    },
  )
}

/** Adds a note to the thread. Nobody but agents sees it. */
export function addNote(note: Omit<Parameters<typeof handOver>[0], 'kind'>): Promise<HandedOver> {
  const { ticketId, draft } = note
  return handOver(
    { ...note, kind: 'note' },
    (text, how) => ask(api.console.tickets({ id: ticketId }).notes.post({ text, base: draft.base() }, how)),
    (added) =>
      patchTicket(ticketId, (known) => ({
        ...known,
        drafts: known.drafts.filter(({ kind }) => kind !== 'note'),
        timeline: [...known.timeline.filter(({ id }) => id !== added.id), added],
      })),
  )
}

/** Takes a waiting reply back; its text is the draft of a reply again. */
export async function takeBack(ticketId: string, replyId: string, draft: DraftKeeper): Promise<boolean> {
  try {
    await draft.settle()
    const { text } = await ask(api.console.tickets({ id: ticketId }).replies({ replyId }).delete())
    batch(() => {
      removeWaiting(ticketId, replyId)
      draft.takeBack(text)
    })
    return true
  } catch (error) {
    void readTicketAgain(ticketId)
    if (codeOf(error) === 'already_sent') toast('It has been sent already.')
    else toastError(errorMessage(error))
    return false
  }
}

/** Sends a waiting reply now, also one that is held. */
export async function sendNow(ticketId: string, replyId: string): Promise<void> {
  try {
    await ask(api.console.tickets({ id: ticketId }).replies({ replyId }).send.post())
    forgetUndo(replyId)
  } catch (error) {
    if (codeOf(error) !== 'already_sent') toastError(errorMessage(error))
  }
  void readTicketAgain(ticketId)
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
    toastError(errorMessage(error))
  }
  void readTicketAgain(ticketId)
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
  // Later there is nothing left to forget.
  setTimeout(() => undos.delete(waiting.id), TAKEN_BACK_WITHIN_MS)
}

/** It was taken back in the thread, or has gone: the toast must not offer it any more. */
function forgetUndo(replyId: string): void {
  undos.get(replyId)?.()
  undos.delete(replyId)
}

function addWaiting(ticketId: string, waiting: WaitingReply): void {
  patchTicket(ticketId, (known) => ({
    ...known,
    drafts: known.drafts.filter(({ kind }) => kind !== 'reply'),
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
