import { type SQL, sql } from 'drizzle-orm'
import { withAttachments } from '../attachments/queries.ts'
import type { Reader } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { activities, notes } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'
import type { TextSlices } from '../responses/large-responses.ts'
import { jsonSlices, MAX_SLICE_BYTES, MAX_SLICE_ROWS, readInSlices, START } from '../responses/row-slices.ts'
import {
  areMessagesFew,
  inOrder,
  isAfter,
  messageSizesAfter,
  type OfTicket,
  sliceOfTicket,
} from '../tickets/rows-of-ticket.ts'
import { addState, findActivities, findMessages, findNotes, findWaiting, type ThreadFrame } from './thread.ts'
import { type EntryRow, inTimeOrder, viewEntry, viewFrame, viewWaitingReply } from './views.ts'

/** Sizes that are looked up at once. */
const MAX_SIZES = 500

/** Whether a thread has so many or long parts that it can't be read and sent at once. */
export async function isThreadLarge(read: Reader, given: OfTicket): Promise<boolean> {
  if (!(await areMessagesFew(read, given))) return true
  const first = { ...given, ...START, limit: MAX_SLICE_ROWS + 1 }
  for (const findSizes of [findNoteSizes, findWaitingSizes, findActivitySizes]) {
    const sizes = await findSizes(read, first)
    const bytes = sizes.reduce((sum, { size }) => sum + size, 0)
    if (sizes.length > MAX_SLICE_ROWS || bytes > MAX_SLICE_BYTES) return true
  }
  return false
}

/** The same as `viewThread(readThread(…))` as JSON, in slices. */
export function threadSlices(deps: Deps, frame: ThreadFrame): TextSlices {
  return jsonSlices(
    { timeline: timelineSlices(deps, frame), waiting: waitingSlices(deps, frame) },
    viewFrame(frame),
  )
}

async function* timelineSlices(deps: Deps, frame: ThreadFrame) {
  const { read } = deps.database
  const { orgId, id: ticketId } = frame.ticket
  const given = { orgId, ticketId }
  const messages = readInSlices({
    sizesAfter: (place) => messageSizesAfter(read, given, place),
    rowsAfter: async (place, limit) => {
      const rows = await findMessages(read, { ...given, ...place, limit })
      return addState(deps, frame, await withAttachments(read, orgId, rows))
    },
  })
  const noteRows = readInSlices({
    sizesAfter: (place) => findNoteSizes(read, { ...given, ...place, limit: MAX_SIZES }),
    rowsAfter: async (place, limit) =>
      withAttachments(read, orgId, await findNotes(read, { ...given, ...place, limit })),
  })
  const activityRows = readInSlices({
    sizesAfter: (place) => findActivitySizes(read, { ...given, ...place, limit: MAX_SIZES }),
    rowsAfter: (place, limit) => findActivities(read, { ...given, ...place, limit }),
  })
  for await (const entries of mergeByTime([messages, noteRows, activityRows])) yield entries.map(viewEntry)
}

async function* waitingSlices(deps: Deps, { ticket: { orgId, id: ticketId } }: ThreadFrame) {
  const { read } = deps.database
  const given = { orgId, ticketId }
  const slices = readInSlices({
    sizesAfter: (place) => findWaitingSizes(read, { ...given, ...place, limit: MAX_SIZES }),
    rowsAfter: async (place, limit) =>
      withAttachments(read, orgId, await findWaiting(read, { ...given, ...place, limit })),
  })
  for await (const rows of slices) yield rows.map(viewWaitingReply)
}

/** Merges rows that are each in time order. At most one slice of each kind is in memory. */
async function* mergeByTime(
  kinds: AsyncGenerator<EntryRow[], void, void>[],
): AsyncGenerator<EntryRow[], void, void> {
  const open: { slices: AsyncGenerator<EntryRow[], void, void>; rows: EntryRow[] }[] = []
  for (const slices of kinds) open.push({ slices, rows: (await slices.next()).value ?? [] })
  let merged: EntryRow[] = []
  for (;;) {
    let earliest: (typeof open)[number] | undefined
    for (const one of open) {
      const [row] = one.rows
      const [known] = earliest?.rows ?? []
      if (row && (!known || inTimeOrder(row, known) < 0)) earliest = one
    }
    const row = earliest?.rows.shift()
    if (!earliest || !row) return
    merged.push(row)
    if (earliest.rows.length > 0) continue
    yield merged
    merged = []
    earliest.rows = (await earliest.slices.next()).value ?? []
  }
}

const findNoteSizes = sizesOf('note', notes, textBytes(notes))
const findWaitingSizes = sizesOf('waiting', scheduledMessages, textBytes(scheduledMessages))
const findActivitySizes = sizesOf('activity', activities, sql`octet_length(${activities.changes}) + 200`)

function textBytes({ text, attachmentCount }: typeof notes | typeof scheduledMessages): SQL {
  return sql`octet_length(${text}) + 300 * (1 + ${attachmentCount})`
}

function sizesOf(
  name: string,
  table: typeof notes | typeof scheduledMessages | typeof activities,
  bytes: SQL,
) {
  const size = sql<number>`${bytes}`.mapWith(Number)
  return statement(`thread_${name}_sizes`, sliceOfTicket, (read: Reader, p) =>
    read.select({ size }).from(table).where(isAfter(table, p)).orderBy(inOrder(table, p)),
  )
}
