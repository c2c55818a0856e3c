import { and, count, eq, gte } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { moves } from '../database/tables/moves.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { firstIdAt } from '../ids.ts'

const MINUTE_MS = 60_000
const MOST_PER_MINUTE = 60

/**
 * Each move can lock thousands of rows, so an organization makes at most 60 in a minute. Call it in the unit that makes
 * one. Throws 429.
 */
export async function requireFewMoves(deps: Deps, tx: Transaction, orgId: string): Promise<void> {
  const since = deps.clock.now() - MINUTE_MS + 1
  const [made] = await tx
    .select({ moves: count() })
    .from(moves)
    .where(and(eq(moves.orgId, orgId), gte(moves.id, firstIdAt('mov', since))))
  if ((made?.moves ?? 0) < MOST_PER_MINUTE) return
  const detail = `At most ${MOST_PER_MINUTE} merges and splits a minute are possible. Wait a minute.`
  throw new AppError(429, 'rate_limited', detail, { headers: { 'retry-after': '60' } })
}
