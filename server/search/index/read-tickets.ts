import type { Deps } from '../../deps.ts'
import { yieldToEventLoop } from '../../loop.ts'
import { documentWords } from './document-words.ts'
import type { Read } from './documents.ts'

/** One unit, and so how long everybody else waits: a few milliseconds. */
export const MOST_TICKETS = 25
/** No further ticket is read behind so many words: a single long thread has more. */
const ENOUGH_WORDS = 2_500
/** How many tickets are read before others get their turn. */
const READ_AT_ONCE = 10

/** As many of the tickets, in their order, as one unit takes; at least one. */
export async function readTickets(deps: Deps, orgId: string, ids: string[]): Promise<Read[]> {
  const read: Read[] = []
  let words = 0
  for (const ticketId of ids.slice(0, MOST_TICKETS)) {
    const found = await documentWords(deps.database.read, { orgId, ticketId })
    read.push({ ticketId, words: found })
    words += found?.length ?? 0
    if (words >= ENOUGH_WORDS) break
    if (read.length % READ_AT_ONCE === 0) await yieldToEventLoop()
  }
  return read
}
