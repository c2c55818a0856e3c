import { and, eq } from 'drizzle-orm'
import { messages } from '../database/tables/messages.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { lockTicket } from '../tickets/queries.ts'

/**
 * Queues a failed message for its channel again. Throws 404, and 409 when it did not fail or its channel sends nothing.
 */
export async function retryMessage(deps: Deps, orgId: string, id: string): Promise<void> {
  const isTheMessage = and(eq(messages.orgId, orgId), eq(messages.id, id))
  const [found] = isId('msg', id)
    ? await deps.database.read.select({ ticketId: messages.ticketId }).from(messages).where(isTheMessage)
    : []
  if (!found) throw notFound('message')
  const { ticketId } = found
  await deps.database.write(async (tx) => {
    const [ticket] = await lockTicket(tx, { orgId, id: ticketId })
    const [message] = await tx.select({ sending: messages.sending }).from(messages).where(isTheMessage)
    if (!ticket || !message) throw notFound('message')
    if (message.sending !== 'failed' && message.sending !== 'bounced') throw notFailed()
    if (ticket.channel === 'api') throw noTransport()
    await tx.update(messages).set({ sending: 'queued', sendError: null }).where(isTheMessage)
    await recordEvents(deps, tx, orgId, [{ type: 'ticket.updated', ticketId, createdAt: deps.clock.now() }])
  })
}

function notFailed(): AppError {
  return new AppError(409, 'not_failed', 'The message did not fail, so there is nothing to retry.')
}

function noTransport(): AppError {
  const detail =
    'Bellhop does not send messages of the API channel. Your integration receives them by webhook.'
  return new AppError(409, 'no_transport', detail)
}
