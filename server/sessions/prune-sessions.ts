import { and, inArray, lte } from 'drizzle-orm'
import { agentLinks, sessions } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'
import { type Loop, startPeriodic } from '../loop.ts'

const PRUNE_EVERY_MS = 600_000
const SLICE = 500

/** Forgets sessions that have ended and links that are over, of every organization, now and then. */
export function startPruningSessions(deps: Deps): Loop {
  return startPeriodic(deps, 'prune_sessions', { everyMs: PRUNE_EVERY_MS, slice: () => pruneSlice(deps) })
}

/** Whether there may be more. Reads first: hardly ever is there anything to write. */
async function pruneSlice({ database, clock }: Deps): Promise<boolean> {
  const now = clock.now()
  const { read } = database
  const [ended, over] = await Promise.all([
    read.select({ id: sessions.id }).from(sessions).where(lte(sessions.expiresAt, now)).limit(SLICE),
    read.select({ id: agentLinks.id }).from(agentLinks).where(lte(agentLinks.expiresAt, now)).limit(SLICE),
  ])
  if (ended.length + over.length === 0) return false
  await database.write(async (tx) => {
    // One that was used meanwhile goes on.
    await tx.delete(sessions).where(and(inArray(sessions.id, idsOf(ended)), lte(sessions.expiresAt, now)))
    await tx.delete(agentLinks).where(inArray(agentLinks.id, idsOf(over)))
  })
  return ended.length === SLICE || over.length === SLICE
}

function idsOf(rows: { id: string }[]): string[] {
  return rows.map(({ id }) => id)
}
