import { and, eq, sql } from 'drizzle-orm'
import type { Reader } from '../database/database.ts'
import { remembered, statement } from '../database/statement.ts'
import { searchDocuments } from '../database/tables/search.ts'
import { tickets } from '../database/tables/tickets.ts'
import {
  isOneOf,
  isVeiledOfOrganization,
  numberOf,
  spamCondition,
  textOf,
  veiledCondition,
} from './conditions.ts'
import { type FilterShape, isRare, type Key, type Params } from './sql.ts'

/** As many document numbers as one query looks up. */
export const SLICE_OF_NUMBERS = 128

/** Of some documents, those whose ticket passes the filters, highest number first. */
export function keysAmong(filters: FilterShape[]) {
  const query = amongStatement({ filters })
  return async (read: Reader, params: Params, numbers: number[]): Promise<Key[]> => {
    const places = Array.from({ length: SLICE_OF_NUMBERS }, (_, place) => [
      `number${place}`,
      numbers[place] ?? numbers[0] ?? 0,
    ])
    const keys = await query(read, { ...params, ...Object.fromEntries(places) })
    return keys.sort((one, other) => other.at - one.at)
  }
}

/** The documents of some tickets. */
export async function documentsOf(read: Reader, orgId: string, ids: string[]): Promise<Key[]> {
  const found: Key[] = []
  for (let start = 0; start < ids.length; start += SLICE_OF_NUMBERS) {
    const some = ids.slice(start, start + SLICE_OF_NUMBERS)
    const places = Array.from({ length: SLICE_OF_NUMBERS }, (_, place) => [`id${place}`, some[place] ?? ''])
    found.push(...(await documentsStatement(read, { orgId, ...Object.fromEntries(places) })))
  }
  return found
}

const documentsStatement = statement<Params, Key[], Reader>('inbox_documents', (read) => {
  const ids = Array.from({ length: SLICE_OF_NUMBERS }, (_, place) => textOf(`id${place}`))
  return read
    .select({ at: searchDocuments.number, id: searchDocuments.ticketId })
    .from(searchDocuments)
    .where(and(eq(searchDocuments.orgId, textOf('orgId')), isOneOf(searchDocuments.ticketId, ids)))
})

const amongStatement = remembered(
  ({ filters }: { filters: FilterShape[] }) =>
    statement<Params, Key[], Reader>(`inbox_among_${Bun.hash(JSON.stringify(filters))}`, (read) => {
      const numbers = Array.from({ length: SLICE_OF_NUMBERS }, (_, place) => numberOf(`number${place}`))
      return read
        .select({ at: searchDocuments.number, id: tickets.id })
        .from(searchDocuments)
        .innerJoin(tickets, eq(tickets.id, searchDocuments.ticketId))
        .where(
          and(
            isOneOf(searchDocuments.number, numbers),
            sql`(${searchDocuments.orgId} || '') = ${textOf('orgId')}`,
            isVeiledOfOrganization,
            spamCondition(filters),
            ...filters.map(({ kind, isNegated }, place) => veiledCondition(kind, isNegated, place)),
          ),
        )
    }),
  isRare,
)
