import { batch } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { codeOf, errorMessage } from '../../api/api-problem.ts'
import { toLocalTime, toServerTime, undoEndsAt } from '../../api/server-clock.ts'
import { toast, toastError } from '../../ui/toaster.tsx'
import type { Actions } from '../changes/actions.ts'
import { applyChanges } from '../changes/change-ticket.ts'
import type { TicketChange } from '../changes/optimistic.ts'
import { pushUndo } from '../changes/undo.ts'
import { without } from '../draft/draft-content.ts'
import type { OpenDraft } from '../draft/drafts.ts'
import { comingTime } from '../thread/times.ts'
import { knownTicket, patchTicket, readTicketAgain, type Ticket, type WaitingReply } from '../ticket-query.ts'
import { changeUndoOf, threadOnScreen } from './undoable.ts'

/** How long a message that left at once can be undone. */
const TAKE_BACK_MS = 10_000

/** A reply that is taken back, and the draft that its text returns to. */
interface TakeBack {
  ticketId: string
  reply: Pick<
    WaitingReply,
    'id' | 'text' | 'attachments' | 'recipients' | 'actions' | 'agentId' | 'heldBecause' | 'isLater'
  > & { sendAt?: string }
  /** What was done with it, if it has left: the server has that no more. */
  done?: Actions | undefined
  draft: OpenDraft
  agentId: string
}

/** Functions that remove the Undo of a reply that was sent or taken back. */
const undos = new Map<string, () => void>()

/**
 * Lets Ctrl/⌘+Z undo a reply that this page sent. A toast offers it too when the thread isn't visible. Returns how to undo
 * it; undefined if that isn't possible.
 */
export function offerUndo(
  { ticketId, draft, agentId }: Omit<TakeBack, 'reply'>,
  id: string,
  onTakenBack: () => void,
): (() => Promise<void>) | undefined {
  const reply = knownTicket(ticketId)?.waiting.find((one) => one.id === id)
  if (!reply || reply.isHeld) return undefined
  // The card in the thread stays for one that is sent later.
  const endsAt = reply.isLater ? undefined : undoEndsAt(reply)
  const undo = async () => {
    undos.delete(id)
    if (await takeBack({ ticketId, reply, draft, agentId })) onTakenBack()
  }
  const forget = pushUndo({
    label: labelOf(reply),
    ...(endsAt !== undefined && { endsAt }),
    isOnScreen: () => threadOnScreen() === ticketId,
    undo,
  })
  undos.set(id, forget)
  if (endsAt !== undefined) setTimeout(() => forgetUndo(id), endsAt - Date.now())
  return async () => {
    if (forget()) await undo()
  }
}

function labelOf({ isLater, sendAt, actions }: WaitingReply): string {
  if (isLater) return `Scheduled for ${comingTime(new Date(toLocalTime(Date.parse(sendAt))))}`
  return actions?.status === 'resolved' ? 'Sending and resolving' : 'Sending'
}

/**
 * Offers for ten seconds to undo a message that a chat shows already: it's removed there, its text is in the draft, and the
 * ticket is as it was before.
 */
export function offerTakingBack(
  { ticketId, draft, agentId, before, done }: Omit<TakeBack, 'reply'> & { before: Ticket },
  id: string,
  onTakenBack: () => void,
): (() => Promise<void>) | undefined {
  const reply = knownTicket(ticketId)?.timeline.find((one) => one.id === id)
  if (reply?.kind !== 'message') return undefined
  const endsAt = Date.now() + TAKE_BACK_MS
  async function undo(): Promise<void> {
    end()
    if (reply?.kind !== 'message') return
    if (!(await takeBack({ ticketId, reply, done, draft, agentId }))) return
    onTakenBack()
    if (done) await applyChanges([{ id: ticketId, change: changeBack(done, before) }])
  }
  const forget = pushUndo({ label: 'Sent', endsAt, isOnScreen: () => threadOnScreen() === ticketId, undo })
  const undoOnce = async () => {
    if (forget()) await undo()
  }
  changeUndoOf(id, { endsAt, run: () => void undoOnce() })
  const timer = setTimeout(end, TAKE_BACK_MS)
  function end(): void {
    clearTimeout(timer)
    forget()
    changeUndoOf(id, undefined)
  }
  return undoOnce
}

/** The fields that actions changed, as they were. */
function changeBack(done: Actions, { status, assignedTo, tags, snoozedUntil }: Ticket): TicketChange {
  return {
    ...(done.status && { status }),
    ...(done.assignedTo !== undefined && { assignedTo: assignedTo ?? null }),
    ...((done.addTags || done.removeTags) && { tags }),
    ...(done.snoozedUntil && { snoozedUntil: snoozedUntil ?? null }),
  }
}

/** What returns to the draft: of the undo time, nothing stays. */
function contentOf({ text, attachments = [], recipients, actions, isLater, sendAt }: TakeBack['reply']) {
  return { text, attachments, recipients, actions, sendAt: isLater ? sendAt : undefined }
}

/** Takes a reply back that waits, or that a chat shows: its text is in the draft again. */
export async function takeBack({ ticketId, reply, done, draft, agentId }: TakeBack): Promise<boolean> {
  const { id } = reply
  const returned = contentOf(reply)
  try {
    await draft.settle()
    await ask(api.v1.tickets({ id: ticketId }).messages({ messageId: id }).delete())
  } catch (error) {
    void readTicketAgain(ticketId)
    if (codeOf(error) === 'already_sent') toast('Already sent')
    else toastError(errorMessage(error))
    return false
  }
  // The server has put it into the draft of its author; of a disabled agent, into the draft of the one who asks.
  const isSaved = reply.agentId === agentId || reply.heldBecause === 'disabled'
  const now = new Date(toServerTime(Date.now())).toISOString()
  batch(() => {
    forgetUndo(id)
    patchTicket(ticketId, (known) => ({
      ...known,
      waiting: known.waiting.filter((one) => one.id !== id),
      timeline: known.timeline.map((one) => (one.id === id ? { ...one, takenBackAt: now } : one)),
    }))
    draft.takeBack({ ...returned, actions: done ?? returned.actions }, isSaved ? returned : undefined)
  })
  return true
}

/** Sends a waiting reply now, also one that is held. */
export async function sendNow(ticketId: string, id: string): Promise<void> {
  try {
    await ask(api.console.tickets({ id: ticketId }).messages({ messageId: id }).send.post())
    forgetUndo(id)
  } catch (error) {
    if (codeOf(error) !== 'already_sent') toastError(errorMessage(error))
  }
  void readTicketAgain(ticketId)
}

/** Deletes a held reply, with an Undo that puts its text and files into the draft. */
export async function discardReply(held: TakeBack): Promise<void> {
  const { draft, reply } = held
  const { text: textBefore, attachments: filesBefore, ...choices } = draft.state()
  if (!(await takeBack(held))) return
  const returned = contentOf(reply)
  for (const { id } of without(returned.attachments, filesBefore)) draft.removeFile(id)
  draft.changeRecipients(choices.recipients)
  draft.changeActions(choices.actions)
  draft.changeSendAt(choices.sendAt)
  draft.write(textBefore)
  draft.save()
  pushUndo({ label: 'Reply discarded', undo: () => draft.putBack(returned) })
}

function forgetUndo(id: string): void {
  undos.get(id)?.()
  undos.delete(id)
}
