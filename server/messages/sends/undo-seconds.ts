import { eq } from 'drizzle-orm'
import type { AnyPgColumn } from 'drizzle-orm/pg-core'
import type { Channel } from '../../channels/channel.ts'
import type { ChannelKind } from '../../channels/kinds.ts'
import type { Reader, Transaction } from '../../database/database.ts'
import { statement, text } from '../../database/statement.ts'
import { organizations } from '../../database/tables/organizations.ts'

/** What an administrator can choose. The defaults of each channel are in `database/tables/organizations.ts`. */
export const MAX_UNDO_SECONDS = 30

/** Reads how long replies on a channel can be undone: a column of the organization. */
export function undoSecondsIn(
  channel: ChannelKind,
  column: AnyPgColumn<{ data: number; notNull: true }>,
): Channel['undoSeconds'] {
  const find = statement(`sends_undo_${channel}`, { orgId: text }, (read: Reader | Transaction, p) =>
    read.select({ seconds: column }).from(organizations).where(eq(organizations.id, p.orgId)),
  )
  return async (read, orgId) => (await find(read, { orgId }))[0]?.seconds ?? 0
}
