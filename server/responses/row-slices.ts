/** The most that is read and sent at once, in stored bytes and in rows. */
export const MAX_SLICE_BYTES = 128 * 1024
export const MAX_SLICE_ROWS = 200

/** After the row with this time and id. */
export type Place = {
  at: number
  afterId: string
}

export const START: Place = { at: -1, afterId: '' }

interface Source<Row> {
  /** About how many bytes each of the next rows has. */
  sizesAfter(place: Place): Promise<{ size: number }[]>
  rowsAfter(place: Place, limit: number): Promise<Row[]>
}

/**
 * Reads rows in the order of their time and id, a slice at a time: few enough to be read, turned into JSON, and sent
 * without holding the event loop. What is stored meanwhile is included.
 */
export async function* readInSlices<Row extends { id: string; createdAt: number }>({
  sizesAfter,
  rowsAfter,
}: Source<Row>): AsyncGenerator<Row[], void, void> {
  let place = START
  for (let ahead = await sizesAfter(place); ahead.length > 0; ahead = await sizesAfter(place)) {
    for (const limit of sliceLengths(ahead)) {
      const rows = await rowsAfter(place, limit)
      const last = rows.at(-1)
      if (!last) return
      place = { at: last.createdAt, afterId: last.id }
      yield rows
    }
  }
}

/** JSON in slices: an object with lists whose entries are read in slices, and with fields that are already known. */
export async function* jsonSlices(
  lists: Record<string, AsyncIterable<object[]>>,
  fields: object,
): AsyncGenerator<string, void, void> {
  let text = JSON.stringify(fields).slice(0, -1)
  for (const [name, slices] of Object.entries(lists)) {
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:[`
    let isFirst = true
    for await (const entries of slices) {
      if (entries.length === 0) continue
      yield `${text}${isFirst ? '' : ','}${entries.map((entry) => JSON.stringify(entry)).join(',')}`
      text = ''
      isFirst = false
    }
    text += ']'
  }
  yield `${text}}`
}

/** The number of rows in each slice. A row that is larger than a slice gets its own. */
export function sliceLengths(rows: { size: number }[]): number[] {
  const lengths: number[] = []
  let [count, bytes] = [0, 0]
  for (const { size } of rows) {
    if (count > 0 && (bytes + size > MAX_SLICE_BYTES || count === MAX_SLICE_ROWS)) {
      lengths.push(count)
      ;[count, bytes] = [0, 0]
    }
    count += 1
    bytes += size
  }
  return count > 0 ? [...lengths, count] : lengths
}
