import { isNotNull } from 'drizzle-orm'
import { customers } from '../../server/database/tables/customers.ts'
import { organizations } from '../../server/database/tables/organizations.ts'
import { searchCursors } from '../../server/database/tables/search.ts'
import type { Bellhop } from './bellhop.ts'
import type { ManualClock } from './clock.ts'

/** Longer than the pause between two runs of the indexing. */
const PAUSE_MS = 100

/** Waits until everything so far is indexed. Advances a manual clock. */
export async function indexed({ deps }: Pick<Bellhop, 'deps'>, clock?: ManualClock): Promise<void> {
  for (;;) {
    const beat = clock ? undefined : nextBeat(deps.pulse)
    if (await isIndexed(deps)) return
    if (clock) {
      clock.advance(PAUSE_MS)
      await new Promise((resolve) => setImmediate(resolve))
    } else await beat
  }
}

async function isIndexed({ database }: Bellhop['deps']): Promise<boolean> {
  const known = await database.read.select().from(organizations)
  const cursors = new Map((await database.read.select().from(searchCursors)).map((row) => [row.orgId, row]))
  const renamed = await database.read.select().from(customers).where(isNotNull(customers.reindexAfter))
  if (renamed.length > 0) return false
  return known.every(({ id, lastEvent }) => {
    const cursor = cursors.get(id)
    return cursor !== undefined && cursor.eventNumber >= lastEvent && cursor.backAt === null
  })
}

function nextBeat(pulse: Bellhop['deps']['pulse']): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = pulse.listen(() => {
    stop()
    resolve()
  })
  return promise
}
