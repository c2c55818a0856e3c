import { sql } from 'drizzle-orm'
import type { Database, Reader } from '../database/database.ts'
import type { ExpensiveRead } from '../database/expensive-reads.ts'
import { integer, selectByPlace, statement, text } from '../database/statement.ts'
import { MESSAGE_ROLES, type MessageRole, messages } from '../database/tables/messages.ts'
import type { PageRequest } from '../tickets/cursor.ts'
import type { Times } from '../tickets/filters/ticket-filters.ts'
import { readMessagePage } from '../tickets/message-pages.ts'
import { messageBytes } from '../tickets/queries.ts'

/** Messages that are examined at a time for those of one role: a few milliseconds, not on the event loop. */
const SLICE = 1_000

interface Place {
  id: string
  at: number
}
type FoundMessage = Place & { ticketId: string; role: MessageRole; size: number; createdAt: number }

interface Wanted extends PageRequest {
  role: MessageRole | undefined
  times: Times | undefined
  expensive: ExpensiveRead
}

/**
 * Finds the next messages of an organization, oldest first, without reading their texts. `next` is the place where the
 * next page begins; undefined on the last one. A page of messages of a rare role can be short.
 */
export async function findMessagesOf(
  { read, background }: Pick<Database, 'read' | 'background'>,
  orgId: string,
  { role, times, perPage, cursor, expensive }: Wanted,
): Promise<{ found: FoundMessage[]; next: Place | undefined }> {
  // No id is empty: the first place is before all messages of its time.
  let place: Place = cursor ?? { at: times?.from ?? 0, id: '' }
  const until = times?.until ?? Number.MAX_SAFE_INTEGER
  const found: FoundMessage[] = []
  for (let limit = perPage + 1; ; limit = SLICE) {
    const reader = limit === SLICE ? background : read
    const slice = await messagesAfter(reader, { orgId, at: place.at, afterId: place.id, until, limit })
    found.push(...slice.filter((message) => role === undefined || message.role === role))
    if (found.length > perPage) return { found: found.slice(0, perPage), next: found[perPage - 1] }
    const last = slice.at(-1)
    if (last === undefined || slice.length < limit) return { found, next: undefined }
    place = last
    await expensive.examined(slice.length)
    if (expensive.isSpent) return { found, next: place }
  }
}

/** The messages, in slices that can be read and sent at once, each with the id of its ticket. */
export async function* readMessagesOf(read: Reader, orgId: string, found: FoundMessage[]) {
  const ticketIds = new Map(found.map(({ id, ticketId }) => [id, ticketId]))
  for await (const messagesInSlice of readMessagePage(read, orgId, found)) {
    yield messagesInSlice.map(({ id, ...message }) => ({ id, ticketId: ticketIds.get(id), ...message }))
  }
}

const messagesAfter = statement(
  'messages_after',
  { orgId: text, at: integer, afterId: text, until: integer, limit: integer },
  (read: Reader, p) =>
    read
      .select({
        id: messages.id,
        at: messages.createdAt,
        createdAt: messages.createdAt,
        ticketId: messages.ticketId,
        role: selectByPlace(messages.role, MESSAGE_ROLES),
        size: messageBytes,
      })
      .from(messages)
      .where(
        // With the condition of `messages_by_organization`, which other queries must not use.
        sql`${messages.orgId} = ${p.orgId} and ${messages.orgId} <> ''
          and (${messages.createdAt}, ${messages.id}) > (${p.at}, ${p.afterId}) and ${messages.createdAt} < ${p.until}`,
      )
      .orderBy(sql`${messages.createdAt}, ${messages.id} limit ${p.limit}`),
)
