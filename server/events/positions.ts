import { sql } from 'drizzle-orm'
import { engine } from '../database/columns.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { DATABASE_TIMELINE } from '../database/postgresql/database-timeline.ts'
import { statement, text } from '../database/statement.ts'
import { installation } from '../database/tables/cluster.ts'
import { organizations } from '../database/tables/organizations.ts'
import type { Deps } from '../deps.ts'
import { AppError, type Fault, invalid } from '../errors.ts'

const LOG_ID_BYTES = 6
const POSITION = /^([\da-f]*)\.(\d{1,15})$/

/** A log of events, and the number of its newest one: all events up to it are committed. */
interface LogEnd {
  logId: string
  newest: number
}

/** Names a log of events. Another one begins where numbers may repeat: when data is restored or imported. */
export function newLogId(deps: Pick<Deps, 'randomBytes'>): string {
  return Buffer.from(deps.randomBytes(LOG_ID_BYTES)).toString('hex')
}

/** From here on, positions that clients have kept are of another log. */
export async function beginLog(deps: Deps, tx: Transaction, orgId: string): Promise<void> {
  await tx
    .update(organizations)
    .set({ logId: newLogId(deps) })
    .where(matches(organizations, { id: orgId }))
}

/** Throws 503 right after a failover, until a server has looked whether events were lost (organizations/log-history.ts). */
export async function endOfLog(read: Reader, orgId: string): Promise<LogEnd> {
  const [end] = await findEnd(read, { orgId })
  if (!end) throw new Error(`There is no organization ${orgId}.`)
  const { isFollowed, ...log } = end
  if (isFollowed) return log
  const detail = 'The database was replaced, and what it lacks is not known yet. Try again.'
  throw new AppError(503, 'storage_unavailable', detail, { headers: { 'retry-after': '1' } })
}

/** Another one after each failover of PostgreSQL, and after a restore to a point in time. */
export const TIMELINE = sql<string>`${sql.raw(DATABASE_TIMELINE)}`

/** Whether the history is known of the database as it is. Services without timelines have none. */
const IS_FOLLOWED = sql<boolean>`not exists (select 1 from ${installation} where case
  when ${installation.history} is null then false else ${installation.history}::json ->> 'timeline' <> ${TIMELINE} end)`

/** Where the log ends now. To clients, positions are opaque. */
export async function newestPosition(read: Reader, orgId: string): Promise<string> {
  const { logId, newest } = await endOfLog(read, orgId)
  return positionAt(logId, newest)
}

export function positionAt(logId: string, number: number): string {
  return `${logId}.${number}`
}

/**
 * The number at a position that a client has kept; undefined for `0`, the oldest event. Throws 400 for what isn't a position, and 410
 * for one of another log.
 */
export function numberAt(
  position: string,
  { logId, newest }: LogEnd,
  where: Pick<Fault, 'pointer' | 'parameter'>,
): number | undefined {
  if (position === '0') return undefined
  const [, ofLog, digits] = POSITION.exec(position) ?? []
  if (digits === undefined) {
    const detail = 'Must be a position that you got from here, or 0.'
    throw invalid([{ ...where, code: 'invalid_cursor', detail }])
  }
  const number = Number(digits)
  if (ofLog !== logId || number > newest) throw eventsExpired()
  return number
}

export function eventsExpired(): AppError {
  const detail =
    'The events after this position are no longer kept, or it is of another log. Read everything again.'
  return new AppError(410, 'events_expired', detail)
}

const findEnd = statement('events_end', { orgId: text }, (read: Reader, p) =>
  read
    .select({
      logId: organizations.logId,
      newest: organizations.lastEvent,
      isFollowed: engine === 'sqlite' ? sql<boolean>`1` : IS_FOLLOWED,
    })
    .from(organizations)
    .where(matches(organizations, { id: p.orgId })),
)
