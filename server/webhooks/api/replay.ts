import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { recordAudit } from '../../audit/audit.ts'
import type { AlsoSave, Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { integer, statement, text } from '../../database/statement.ts'
import { events } from '../../database/tables/events.ts'
import { deliveries, resendJobs } from '../../database/tables/webhooks.ts'
import { isoTime, optionalTime } from '../../dates.ts'
import type { Deps } from '../../deps.ts'
import { invalid, notFound } from '../../errors.ts'
import { readWebhookBodies } from '../../events/api/bodies.ts'
import { isPublic, type PublicEvent, startAt } from '../../events/api/list-events.ts'
import { eventsAfter } from '../../events/events.ts'
import { queueDeliveries, receivesOf } from '../../events/outbox.ts'
import { endOfLog } from '../../events/positions.ts'
import { isId } from '../../ids.ts'
import { type ResendJob, readResendJob } from '../deliveries/resend.ts'
import { type Endpoint, endpointAccounts, requireEndpointOn } from '../endpoints/endpoints.ts'

const MAX_AGE_MS = 90 * 86_400_000
/** Events that are looked at in one unit. */
const SLICE = 200
/** An event may be committed up to this long after its time. */
const COMMIT_DELAY_MS = 3_600_000

export interface ReplayRequest {
  endpointId: string
  /** Where to begin: after a position in the log of events, or at a time in milliseconds. One of the two. */
  after?: string | undefined
  since?: number | undefined
  /** Time of the last event in milliseconds; now by default. */
  until?: number | undefined
  /** Only events that the endpoint hasn't got, and that aren't on their way to it. */
  onlyMissing?: boolean | undefined
}

/**
 * Creates a job that sends the events of a range to an endpoint, each with a new delivery: those that it is subscribed
 * to and that pass its filters when the job gets to them. It continues after a crash. Throws 400 for a range that
 * begins more than 90 days ago or in the future or ends before that, 404, 409 when the endpoint is off, and 410 for a position that isn't kept.
 */
export async function replayEvents(
  deps: Deps,
  orgId: string,
  { endpointId, after, since, until, onlyMissing }: ReplayRequest,
  alsoSave?: AlsoSave<ResendJob>,
): Promise<ResendJob> {
  if (!isId('whe', endpointId)) throw notFound('endpoint')
  const now = deps.clock.now()
  requireRange({ after, since, until }, now)
  await endpointAccounts.read(deps, orgId, endpointId)
  const start = after === undefined ? undefined : await startAt(deps, orgId, after, { pointer: '/after' })
  return deps.database.write(orgId, async (tx) => {
    const { url } = await requireEndpointOn(tx, orgId, endpointId)
    const { newest } = await endOfLog(tx, orgId)
    const values = {
      id: deps.newId('job'),
      orgId,
      endpointId,
      kind: onlyMissing ? ('replay_missing' as const) : ('replay' as const),
      since: since ?? 0,
      until: until ?? now,
      afterEvent: start?.after ?? (await numberBefore(tx, orgId, { time: since ?? 0, newest })),
      untilEvent: newest,
      createdAt: now,
    }
    const [made] = await tx.insert(resendJobs).values(values).returning()
    if (!made) throw new Error('The job was not stored.')
    await recordAudit(deps, tx, orgId, {
      action: 'endpoint.replayed',
      subject: { id: endpointId, label: url },
      ...(since !== undefined && { detail: { since: isoTime(since) } }),
    })
    await alsoSave?.(tx, made)
    return made
  })
}

/** A request as a body has it, with its times in ISO 8601. */
export function replayOf(
  endpointId: string,
  body: { after?: string; since?: string; until?: string; onlyMissing?: boolean },
): ReplayRequest {
  const { since, until, ...rest } = body
  return {
    ...rest,
    endpointId,
    since: optionalTime(since),
    until: optionalTime(until),
  }
}

/** The progress of a replay. Throws 404, also for a job of another kind. */
export async function readReplay(deps: Deps, orgId: string, id: string): Promise<ResendJob> {
  const job = await readResendJob(deps, orgId, id)
  if (job.kind === 'failed') throw notFound('replay')
  return job
}

/** Queues the next events of a replay. They and its cursor change in one unit, so that it continues there. */
export async function replaySlice(deps: Deps, tx: Transaction, job: ResendJob): Promise<void> {
  const { orgId, untilEvent } = job
  const cursor = checkedUntil(job)
  const endpoint = await endpointAccounts.lock(tx, orgId, job.endpointId)
  const logged = endpoint ? await eventsAfter(tx, orgId, cursor, SLICE) : []
  const inRange = logged.filter(({ number }) => number <= (untilEvent ?? 0))
  const queued = endpoint ? await queueSlice(deps, tx, { job, endpoint, logged: inRange }) : 0
  const last = inRange.at(-1)?.number ?? cursor
  await tx
    .update(resendJobs)
    .set({
      cursor: String(last),
      resent: job.resent + queued,
      finishedAt: inRange.length < SLICE ? deps.clock.now() : null,
    })
    .where(and(eq(resendJobs.id, job.id), isNull(resendJobs.finishedAt)))
}

/** The number of the last event that a replay has looked at. */
export function checkedUntil({ cursor, afterEvent }: ResendJob): number {
  return cursor === '' ? (afterEvent ?? 0) : Number(cursor)
}

async function queueSlice(
  deps: Deps,
  tx: Transaction,
  { job, endpoint, logged }: { job: ResendJob; endpoint: Endpoint; logged: Logged[] },
): Promise<number> {
  const { orgId, since, until } = job
  const inTime = logged.filter(({ createdAt }) => createdAt >= since && createdAt <= until)
  const offered = inTime.filter(isPublic)
  const receives = await receivesOf(tx, orgId, offered, [endpoint])
  const received = offered.filter((event) => receives(endpoint, event))
  const wanted = job.kind === 'replay_missing' ? await withoutGot(tx, endpoint, received) : received
  const bodied = await withBodies(tx, orgId, wanted)
  const now = deps.clock.now()
  const queued = bodied.map((event) => ({ ...event, deps, orgId, createdAt: now }))
  await queueDeliveries(tx, queued, [endpoint], () => true)
  return queued.length
}

type Logged = Awaited<ReturnType<typeof eventsAfter>>[number]

/** Those that no delivery brought to the endpoint, and none is about to. */
async function withoutGot(
  tx: Transaction,
  endpoint: Endpoint,
  wanted: PublicEvent[],
): Promise<PublicEvent[]> {
  if (wanted.length === 0) return []
  const found = await tx
    .select({ number: deliveries.eventNumber })
    .from(deliveries)
    .where(
      and(
        matches(deliveries, { orgId: endpoint.orgId, endpointId: endpoint.id }),
        inArray(
          deliveries.eventNumber,
          wanted.map(({ number }) => number),
        ),
        inArray(deliveries.state, ['succeeded', 'pending', 'in_flight']),
      ),
    )
  const got = new Set(found.map(({ number }) => number))
  return wanted.filter(({ number }) => !got.has(number))
}

/** Those that have a body, which is made if no endpoint got the event so far. What was deleted has none. */
async function withBodies(tx: Transaction, orgId: string, wanted: PublicEvent[]): Promise<PublicEvent[]> {
  if (wanted.length === 0) return []
  const isOne = inArray(
    events.number,
    wanted.map(({ number }) => number),
  )
  const found = await tx
    .select({ number: events.number })
    .from(events)
    .where(and(eq(events.orgId, orgId), isOne, isNull(events.body)))
  const bare = new Set(found.map(({ number }) => number))
  const made = await readWebhookBodies(
    tx,
    orgId,
    wanted.filter(({ number }) => bare.has(number)),
  )
  for (const [number, body] of made) {
    await tx.update(events).set({ body }).where(matches(events, { orgId, number }))
  }
  return wanted.filter(({ number }) => !bare.has(number) || made.has(number))
}

function requireRange(
  { after, since, until }: Pick<ReplayRequest, 'after' | 'since' | 'until'>,
  now: number,
): void {
  if (after === undefined && since === undefined) {
    throw invalid([{ pointer: '', code: 'required', detail: 'Give after or since.' }])
  }
  if (after !== undefined && since !== undefined) {
    throw invalid([{ pointer: '/since', code: 'not_allowed', detail: 'Give after or since, not both.' }])
  }
  if (since === undefined) return
  if (since < now - MAX_AGE_MS) {
    throw invalid([{ pointer: '/since', code: 'too_far_back', detail: 'Must be at most 90 days ago.' }])
  }
  if (since > now) {
    throw invalid([{ pointer: '/since', code: 'not_allowed', detail: 'Must not be in the future.' }])
  }
  if (until !== undefined && until < since) {
    throw invalid([{ pointer: '/until', code: 'not_allowed', detail: 'Must not be before since.' }])
  }
}

/** A number such that all events of this time or later come after it, found by halves: times follow the numbers. */
async function numberBefore(
  tx: Transaction,
  orgId: string,
  { time, newest }: { time: number; newest: number },
): Promise<number> {
  let [low, high] = [0, newest]
  while (high - low > SLICE) {
    const number = Math.floor((low + high) / 2)
    const [event] = await timeAt(tx, { orgId, number })
    if (event && event.createdAt >= time - COMMIT_DELAY_MS) high = number
    else low = number
  }
  return low
}

const timeAt = statement('replay_time_at', { orgId: text, number: integer }, (tx, p) =>
  tx
    .select({ createdAt: events.createdAt })
    .from(events)
    .where(and(eq(events.orgId, p.orgId), sql`${events.number} <= ${p.number}`))
    .orderBy(sql`${events.number} desc limit 1`),
)
