import { and, asc, eq, inArray } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { attachments } from '../database/tables/attachments.ts'
import { messages } from '../database/tables/messages.ts'

/** The list's text for messages without one, by message id: whom they were forwarded to, or their files. */
export async function describeTextless(
  read: Reader,
  { orgId, ids }: { orgId: string; ids: string[] },
): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const found = await read
    .select({ id: messages.id, email: messages.email })
    .from(messages)
    .where(and(eq(messages.orgId, orgId), inArray(messages.id, ids)))
  const files = await read
    .select({ ownerId: attachments.ownerId, name: attachments.name })
    .from(attachments)
    .where(and(eq(attachments.orgId, orgId), inArray(attachments.ownerId, ids)))
    .orderBy(asc(attachments.position))
  const namesById = Map.groupBy(files, ({ ownerId }) => ownerId)
  return new Map(
    found.map(({ id, email }) => {
      const names = (namesById.get(id) ?? []).map(({ name }) => name)
      const recipients = email?.forwardOf === undefined ? [] : [...email.to, ...email.cc]
      return [id, forwardedTo(recipients) || filesNamed(names)]
    }),
  )
}

function forwardedTo(recipients: { address: string }[]): string {
  return recipients.length === 0 ? '' : `Forwarded to ${recipients.map(({ address }) => address).join(', ')}`
}

function filesNamed(names: string[]): string {
  if (names.length === 0) return ''
  return `${names.length === 1 ? '1 file' : `${names.length} files`}: ${names.join(', ')}`
}
