import { batch, createSignal } from 'solid-js'
import { api, ask } from '../../api/api.ts'
import { codeOf, errorMessage } from '../../api/api-problem.ts'
import { toLocalTime } from '../../api/server-clock.ts'
import { toast, toastError } from '../../ui/toaster.tsx'
import { pushUndo } from '../changes/undo.ts'
import { without } from '../draft/draft-content.ts'
import type { OpenDraft } from '../draft/drafts.ts'
import { knownTicket, patchTicket, readTicketAgain, type WaitingReply } from '../ticket-query.ts'
import { UNDO_MS } from './send-with-undo.ts'

/** A waiting reply and the draft that its text returns to. */
interface TakeBack {
  ticketId: string
  reply: WaitingReply
  draft: OpenDraft
  agentId: string
}

/** Functions that remove the Undo of a reply that was sent or taken back. */
const undos = new Map<string, () => void>()

const [threadOnScreen, setThreadOnScreen] = createSignal<string>()

/** The thread that shows its waiting replies with their own Undo. */
export { setThreadOnScreen }

/** When a waiting reply is sent, by this browser's clock. Clocks differ: never later than the server waits. */
export function sendsAt({ sendAt }: WaitingReply): number {
  return Math.min(toLocalTime(Date.parse(sendAt)), Date.now() + UNDO_MS)
}

/** Lets Ctrl/⌘+Z undo a reply that this page sent. A toast offers it too when the thread isn't visible. */
export function offerUndo(
  { ticketId, draft, agentId }: Omit<TakeBack, 'reply'>,
  id: string,
  onTakenBack: () => void,
): void {
  const reply = knownTicket(ticketId)?.waiting.find((one) => one.id === id)
  if (!reply || reply.isHeld) return
  const endsAt = sendsAt(reply)
  const forget = pushUndo({
    label: reply.thenStatus === 'resolved' ? 'Sending and resolving' : 'Sending',
    endsAt,
    isOnScreen: () => threadOnScreen() === ticketId,
    undo: async () => {
      undos.delete(id)
      if (await takeBack({ ticketId, reply, draft, agentId })) onTakenBack()
    },
  })
  undos.set(id, forget)
  setTimeout(() => forgetUndo(id), endsAt - Date.now())
}

/** Takes a waiting reply back: its text is in the draft again. */
export async function takeBack({ ticketId, reply, draft, agentId }: TakeBack): Promise<boolean> {
  const { id, text, attachments = [], recipients } = reply
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
  batch(() => {
    forgetUndo(id)
    patchTicket(ticketId, (known) => ({ ...known, waiting: known.waiting.filter((one) => one.id !== id) }))
    draft.dispatch({ type: 'taken back', text, attachments, recipients, isSaved, now: Date.now() })
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
  const { text: textBefore, attachments: filesBefore, recipients: recipientsBefore } = draft.state()
  if (!(await takeBack(held))) return
  const now = Date.now()
  const { text, attachments = [], recipients } = reply
  for (const { id } of without(attachments, filesBefore)) draft.dispatch({ type: 'file removed', id, now })
  draft.dispatch({ type: 'recipients changed', recipients: recipientsBefore, now })
  draft.dispatch({ type: 'typed', text: textBefore, now })
  draft.dispatch({ type: 'save due' })
  const undo = () =>
    draft.dispatch({ type: 'put back', text, attachments, recipients, sending: null, now: Date.now() })
  pushUndo({ label: 'Reply discarded', undo })
}

function forgetUndo(id: string): void {
  undos.get(id)?.()
  undos.delete(id)
}
