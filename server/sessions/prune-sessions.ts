import { and, inArray, lte } from 'drizzle-orm'
import { agentLinks, sessions } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'
import { type Loop, startPeriodic } from '../loop.ts'

const PRUNE_EVERY_MS = 600_000
const SLICE = 500

/** Periodically deletes expired sessions and links of all organizations. */
export function startPruningSessions(deps: Deps): Loop {
  return startPeriodic(deps, 'prune_sessions', { everyMs: PRUNE_EVERY_MS, slice: () => pruneSlice(deps) })
}

/** Returns whether more may be left. Reads first, because there is rarely anything to delete. */
async function pruneSlice({ database, clock }: Deps): Promise<boolean> {
  const now = clock.now()
  const { read } = database
  const [ended, over] = await Promise.all([
    read.select({ id: sessions.id }).from(sessions).where(lte(sessions.expiresAt, now)).limit(SLICE),
    read.select({ id: agentLinks.id }).from(agentLinks).where(lte(agentLinks.expiresAt, now)).limit(SLICE),
  ])
  if (ended.length + over.length === 0) return false
  await database.write(async (tx) => {
    // A session extended since the read stays.
    await tx.delete(sessions).where(and(inArray(sessions.id, idsOf(ended)), lte(sessions.expiresAt, now)))
    await tx.delete(agentLinks).where(inArray(agentLinks.id, idsOf(over)))
  })
  return ended.length === SLICE || over.length === SLICE
}

function idsOf(rows: { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}
