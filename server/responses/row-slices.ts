import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** The most that is read and sent at once, in stored bytes and in rows. */
export const MAX_SLICE_BYTES = 128 * 1024
const MAX_SLICE_ROWS = 64

/** The text of a response, in pieces of at most some 100 kB. */
export type TextSlices = AsyncGenerator<string, void, void>

/**
 * The order and the limit of a query for the next rows: as many as can be read, turned into JSON, and sent without holding
 * the event loop, and at least one. `bytes` is about what a row takes. The database knows the lengths of texts without
 * reading them.
 */
export function inSlice(
  [first, second]: [PgColumn, PgColumn],
  { where, bytes, isDescending = false }: { where: SQL | undefined; bytes: SQL; isDescending?: boolean },
): SQL {
  const [maxRows, maxBytes] = [sql.raw(String(MAX_SLICE_ROWS)), sql.raw(String(MAX_SLICE_BYTES))]
  const way = sql.raw(isDescending ? 'desc' : 'asc')
  const next = sql`select ${first} as one, ${second} as two, ${bytes} as bytes
    from ${first.table} where ${where} order by ${first} ${way}, ${second} ${way} limit ${maxRows}`
  const sums = sql`select sum(bytes) over (order by one ${way}, two ${way}) as total from (${next}) as next`
  return sql`${first} ${way}, ${second} ${way} limit (
    select case when count(*) = 0 then 1 else count(*) end from (${sums}) as sums where total <= ${maxBytes})`
}

/** Reads all rows after `start`, a slice at a time. What is stored meanwhile is included. */
export async function* readInSlices<Row, Place>(
  start: Place,
  placeOf: (row: Row) => Place,
  sliceAfter: (place: Place) => Promise<Row[]>,
): AsyncGenerator<Row[], void, void> {
  let place = start
  for (;;) {
    const rows = await sliceAfter(place)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    place = placeOf(last)
  }
}

/** JSON in slices: an object with fields that are already known, and with lists whose entries are read in slices. */
export async function* jsonSlices(object: Record<string, unknown>): TextSlices {
  let text = '{'
  let separator = ''
  for (const [name, value] of Object.entries(object)) {
    if (value === undefined) continue
    text += `${separator}${JSON.stringify(name)}:`
    separator = ','
    if (!isList(value)) {
      text += JSON.stringify(value)
      continue
    }
    text += '['
    let isFirst = true
    for await (const entries of value) {
      if (entries.length === 0) continue
      yield `${text}${isFirst ? '' : ','}${entries.map((entry) => JSON.stringify(entry)).join(',')}`
      text = ''
      isFirst = false
    }
    text += ']'
  }
  yield `${text}}`
}

function isList(value: unknown): value is AsyncIterable<object[]> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** The whole text, or undefined if it is too large to be sent at once. */
export async function textIfSmall(slices: TextSlices): Promise<string | undefined> {
  let text = ''
  for await (const slice of slices) {
    text += slice
    if (text.length > MAX_SLICE_BYTES) return undefined
  }
  return text
}
