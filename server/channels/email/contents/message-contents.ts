import { matches } from '../../../database/matches.ts'
import { messageContents } from '../../../database/tables/messages.ts'
import type { Deps } from '../../../deps.ts'
import { notFound } from '../../../errors.ts'
import { isId } from '../../../ids.ts'

interface OfMessage {
  ticketId: string
  id: string
}

/**
 * The parts of a mail that the thread doesn't load: quoted text, HTML, and the location of the original. Throws 404.
 */
export async function readContents(
  deps: Deps,
  orgId: string,
  { ticketId, id }: OfMessage,
): Promise<typeof messageContents.$inferSelect> {
  const [contents] = isId('msg', id)
    ? await deps.database.read
        .select()
        .from(messageContents)
        .where(matches(messageContents, { orgId, messageId: id }))
    : []
  if (contents?.ticketId !== ticketId) throw notFound('message')
  return contents
}
