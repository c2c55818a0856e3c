import { and, asc, eq, getTableColumns, gt, isNotNull, isNull, lte, or, sql } from 'drizzle-orm'
import { recordAudit } from '../../audit/audit.ts'
import type { AlsoSave, Reader, Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { integer, statement, text, value } from '../../database/statement.ts'
import { events } from '../../database/tables/events.ts'
import { deliveries, resendJobs } from '../../database/tables/webhooks.ts'
import { isoTime } from '../../dates.ts'
import type { Deps } from '../../deps.ts'
import { AppError, notFound } from '../../errors.ts'
import { scheduleEndpoint } from '../../events/outbox.ts'
import { firstIdAt, isId } from '../../ids.ts'
import { isHeld } from '../../jobs/held.ts'
import { runLanes } from '../../jobs/run-lanes.ts'
import type { Loop } from '../../loop.ts'
import { endpointAccounts, requireEndpointOn } from '../endpoints/endpoints.ts'
import { type DeliveryRow, readDeliveryRow } from './delivery-log.ts'
import { AT_ONCE } from './schedule.ts'

const SLICE = 200

export type ResendJob = typeof resendJobs.$inferSelect

/**
 * Sends one delivery again, now: same id, same body, the current secret, one attempt marked `manual`. A finished
 * delivery gets this one attempt; one that waits for a retry keeps its schedule. Throws 404, and 409 while it is being
 * sent, when its body isn't kept anymore, or when its endpoint is off or deleted.
 */
export async function resendDelivery(
  deps: Deps,
  orgId: string,
  id: string,
  alsoSave?: AlsoSave<DeliveryRow>,
): Promise<DeliveryRow> {
  const [delivery] = isId('dlv', id)
    ? await deps.database.read
        .select({ endpointId: deliveries.endpointId, eventType: deliveries.eventType })
        .from(deliveries)
        .where(matches(deliveries, { orgId, id }))
    : []
  if (!delivery) throw notFound('delivery')
  const { endpointId, eventType } = delivery
  return deps.database.write(orgId, async (tx) => {
    await requireEndpointOn(tx, orgId, endpointId)
    await requireBody(tx, orgId, id)
    const [resent] = await queueAgain(tx, { orgId, id, dueAt: AT_ONCE })
    if (!resent)
      throw new AppError(409, 'delivery_in_flight', 'This delivery is being sent. Wait for its result.')
    await scheduleEndpoint(tx, { endpointId, at: deps.clock.now() })
    await recordAudit(deps, tx, orgId, { action: 'delivery.resent', subject: { id, label: eventType } })
    const row = await readDeliveryRow(tx, orgId, id)
    await alsoSave?.(tx, row)
    return row
  })
}

/** What erased data said can't be sent again. Throws 409. */
async function requireBody(tx: Transaction, orgId: string, id: string): Promise<void> {
  const isEvent = matches(events, { orgId: deliveries.orgId, number: deliveries.eventNumber })
  const [kept] = await tx
    .select({ id: deliveries.id })
    .from(deliveries)
    .leftJoin(events, isEvent)
    .where(
      and(matches(deliveries, { orgId, id }), or(isNotNull(deliveries.testBody), isNotNull(events.body))),
    )
  if (kept) return
  throw new AppError(409, 'body_not_kept', 'The body of this event is no longer stored: it was deleted.')
}

/**
 * Creates a job that sends every failed delivery of an endpoint again whose event is not older than `since`
 * (milliseconds). `startResending` runs it, and it continues after a crash. Throws 404, and 409 when the endpoint is off.
 */
export async function resendFailedSince(
  deps: Deps,
  orgId: string,
  input: { endpointId: string; since: number },
): Promise<ResendJob> {
  if (!isId('whe', input.endpointId)) throw notFound('endpoint')
  const now = deps.clock.now()
  const values = { id: deps.newId('job'), orgId, ...input, until: now, createdAt: now }
  const job = await deps.database.write(orgId, async (tx) => {
    const endpoint = await endpointAccounts.lock(tx, orgId, input.endpointId)
    if (!endpoint) throw notFound('endpoint')
    await requireEndpointOn(tx, orgId, endpoint.id)
    const [made] = await tx.insert(resendJobs).values(values).returning()
    await recordAudit(deps, tx, orgId, {
      action: 'endpoint.failed_resent',
      subject: { id: endpoint.id, label: endpoint.url },
      detail: { since: isoTime(input.since) },
    })
    return made
  })
  if (!job) throw new Error('The job was not stored.')
  return job
}

/** The progress of a job. `finishedAt` is set when every delivery is queued. Throws 404. */
export async function readResendJob(deps: Deps, orgId: string, id: string): Promise<ResendJob> {
  if (!isId('job', id)) throw notFound('job')
  const [job] = await deps.database.read.select().from(resendJobs).where(matches(resendJobs, { orgId, id }))
  if (!job) throw notFound('job')
  return job
}

/** Does some of a job, and moves its cursor, in one unit. */
type Slice = (deps: Deps, tx: Transaction, job: ResendJob) => Promise<void>

/** Runs unfinished jobs, oldest first, a slice at a time. `replaySlice` is for those that replay events. */
export function startResending(deps: Deps, replaySlice: Slice): Loop {
  return runLanes(deps, {
    name: 'resend',
    tables: [resendJobs],
    atOnce: 1,
    failure: 'resend_failed',
    find: findOpenJobs,
    async run(job) {
      const slice = job.kind === 'failed' ? resendSlice : replaySlice
      await deps.database.write(job.orgId, (tx) => slice(deps, tx, job))
      return 0
    },
  })
}

/** The deliveries and the job's cursor change in one unit, so that the job continues there after a crash. */
async function resendSlice(deps: Deps, tx: Transaction, job: ResendJob): Promise<void> {
  const now = deps.clock.now()
  const endpoint = await endpointAccounts.lock(tx, job.orgId, job.endpointId)
  const after = job.cursor || firstIdAt('dlv', job.since)
  const failed = endpoint
    ? await findFailed(tx, {
        endpointId: job.endpointId,
        after,
        since: job.since,
        until: job.until,
        limit: SLICE,
      })
    : []
  for (const { id } of failed) await queueAgain(tx, { orgId: job.orgId, id, dueAt: now })
  if (endpoint && endpoint.offAt === null && failed.length > 0)
    await scheduleEndpoint(tx, { endpointId: endpoint.id, at: now })
  await tx
    .update(resendJobs)
    .set({
      cursor: failed.at(-1)?.id ?? job.cursor,
      resent: job.resent + failed.length,
      finishedAt: failed.length < SLICE ? now : null,
    })
    .where(and(eq(resendJobs.id, job.id), isNull(resendJobs.finishedAt)))
}

const findOpenJobs = statement('resend_open_jobs', { limit: integer, held: text }, (read: Reader, p) =>
  read
    .select({ ...getTableColumns(resendJobs), dueAt: sql<number>`0`.mapWith(Number) })
    .from(resendJobs)
    .where(sql`finished_at is null and ${isHeld(resendJobs.id, p.held)}`)
    .orderBy(sql`${resendJobs.createdAt} limit ${p.limit}`),
)

const queueAgain = statement('resend_queue', { orgId: text, id: text, dueAt: integer }, (tx, p) =>
  tx
    .update(deliveries)
    .set({ state: 'pending', dueAt: p.dueAt, manual: true })
    .where(
      and(
        eq(deliveries.orgId, p.orgId),
        eq(deliveries.id, p.id),
        sql`state in ('pending', 'succeeded', 'failed')`,
      ),
    )
    .returning({ id: deliveries.id }),
)

const findFailed = statement(
  'resend_find',
  { endpointId: text, after: text, since: integer, until: integer, limit: value<number>() },
  (tx, p) =>
    tx
      .select({ id: deliveries.id })
      .from(deliveries)
      .where(
        and(
          eq(deliveries.endpointId, p.endpointId),
          sql`state = 'failed'`,
          gt(deliveries.id, p.after),
          sql`${deliveries.createdAt} >= ${p.since}`,
          lte(deliveries.createdAt, p.until),
        ),
      )
      .orderBy(asc(deliveries.id))
      .limit(p.limit),
)
