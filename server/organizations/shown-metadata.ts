import type { Reader } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import type { Metadata } from '../database/tables/customers.ts'
import { organizations } from '../database/tables/organizations.ts'

export interface ShownText {
  key: string
  value: string
}

/** The texts of a ticket's or a customer's metadata that agents see beside a conversation, in the order of the settings. */
export async function shownMetadata(
  read: Reader,
  orgId: string,
  metadata: Metadata | null,
): Promise<ShownText[]> {
  if (metadata === null) return []
  const [found] = await findKeys(read, { orgId })
  const texts = new Map(Object.entries(metadata))
  return (found?.keys ?? []).flatMap((key) => {
    const value = texts.get(key)
    return value ? [{ key, value }] : []
  })
}

const findKeys = statement('organizations_shown_metadata', { orgId: text }, (read: Reader, p) =>
  read
    .select({ keys: organizations.shownMetadata })
    .from(organizations)
    .where(matches(organizations, { id: p.orgId })),
)
