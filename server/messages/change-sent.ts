import type { Channel } from '../channels/channel.ts'
import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { type MessageFormat, messages } from '../database/tables/messages.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { isId } from '../ids.ts'
import { readEdits, saveEdit } from '../tickets/message-edits.ts'
import { requireTicket, waitAgain } from '../tickets/queries.ts'
import { readTicketRow } from '../tickets/tickets.ts'
import { findMessage, type StoredMessage } from './queries.ts'
import { findSends, recordTicketChange } from './sends/queries.ts'

interface SentMessage {
  ticketId: string
  messageId: string
}

/**
 * Changes the text of a message that was sent to a chat, there as well. Any agent can. Throws 404, 400 for a text that the
 * chat can't show in place of the old one, and 409 when it was sent in another way, taken back, or is still being sent.
 */
export async function editSentMessage(
  deps: Deps,
  orgId: string,
  { text, format, ...sent }: SentMessage & { text: string; format: MessageFormat },
): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const message = await requireMessage(tx, orgId, sent)
    if (message.takenBackAt !== null) throw takenBack()
    const [send] = await findSends(tx, { orgId, messageId: message.id })
    const edit = send && deps.channels.of(send.channel).changes?.edit
    const edited = send && (await edit?.(deps, tx, { message, send, text, format }))
    if (!edited) throw notChangeable(deps)
    if (!edited.isChanged) return
    await saveEdit(tx, message, { text, format, now: deps.clock.now() })
    await recordTicketChange(deps, tx, { orgId, ticketId: message.ticketId, messageId: message.id })
  })
}

/** Takes a sent message back, as `removeFromChat` does. Any agent can. Throws 404, and 409 if no chat shows it. */
export async function takeBackSent(deps: Deps, orgId: string, sent: SentMessage): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const message = await requireMessage(tx, orgId, sent)
    if (!(await removeFromChat(deps, tx, message))) throw notChangeable(deps)
  })
}

/**
 * Takes back an agent's message that a chat shows, so that the customer no longer sees it. The unit has locked the ticket.
 * Returns false if it was sent in another way. Throws 409 for what the chat can't remove anymore, and for what it may have
 * but hasn't confirmed.
 */
export async function removeFromChat(deps: Deps, tx: Transaction, message: StoredMessage): Promise<boolean> {
  if (message.takenBackAt !== null) throw takenBack()
  const { orgId, ticketId, id: messageId } = message
  const ticket = await requireTicket(tx, orgId, ticketId)
  const [send] = await findSends(tx, { orgId, messageId })
  const shown = await deps.channels.of(ticket.channel).shown?.(tx, message)
  const taken = { takenBackAt: deps.clock.now(), isRemovalShown: shown?.isSeen ?? false }
  const remove = send && deps.channels.of(send.channel).changes?.remove
  const removed = send ? await remove?.(deps, tx, { message, send }) : shown && { sending: null }
  if (!removed) return false
  await tx
    .update(messages)
    .set({ ...taken, ...removed })
    .where(matches(messages, { orgId, id: messageId }))
  await waitAgain(tx, ticket)
  // Open pages find what was taken back by the time of the event.
  await recordTicketChange(deps, tx, { orgId, ticketId, messageId, at: taken.takenBackAt })
  return true
}

/** The texts of a message before each edit, by an agent or by the customer, oldest first. Throws 404. */
export async function readMessageEdits(deps: Deps, orgId: string, { ticketId, messageId }: SentMessage) {
  const { read } = deps.database
  await readTicketRow(read, orgId, ticketId)
  const message = isId('msg', messageId) ? await findMessage(read, { orgId, id: messageId }) : undefined
  if (message?.ticketId !== ticketId) throw notFound('message')
  return readEdits(read, { orgId, messageId })
}

/** Locks the ticket first. Throws 404. */
async function requireMessage(
  tx: Transaction,
  orgId: string,
  { ticketId, messageId }: SentMessage,
): Promise<StoredMessage> {
  await requireTicket(tx, orgId, ticketId)
  const message = isId('msg', messageId) ? await findMessage(tx, { orgId, id: messageId }) : undefined
  if (message?.ticketId !== ticketId) throw notFound('message')
  return message
}

function takenBack(): AppError {
  return new AppError(409, 'taken_back', 'The message was already taken back.')
}

/** Names the channels that can. */
function notChangeable({ channels }: Deps): AppError {
  const namesOf = (isOne: (channel: Channel) => unknown) =>
    channels.all
      .filter(isOne)
      .map(({ name }) => name)
      .join(' or ')
  const editing = namesOf(({ changes }) => changes?.edit)
  const removing = namesOf(({ changes, shown }) => changes?.remove ?? shown)
  const detail = `Only messages in ${editing} can be changed, for 30 days, and only those in ${removing} taken back.`
  return new AppError(409, 'not_changeable', detail)
}
