import type { Command } from 'commander'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../database/tables/events.ts'
import { DELIVERY_STATES, type DeliveryState } from '../database/tables/webhooks.ts'
import type { Deps } from '../deps.ts'
import { UsageError } from '../errors.ts'
import {
  type DeliveryFilter,
  type DeliveryRow,
  listDeliveries,
  readDelivery,
} from '../webhooks/deliveries/delivery-log.ts'
import { resendDelivery, resendFailedSince } from '../webhooks/deliveries/resend.ts'
import { viewDelivery, viewDeliveryDetail, viewResendJob } from '../webhooks/deliveries/views.ts'
import { addList, addOnOne } from './commands.ts'
import { oneOf, pastTime, wholeNumber } from './option-values.ts'
import { escapeControls, formatTime, print, printFacts, printJson, printTable } from './output.ts'
import { withOwner } from './with-deps.ts'

const PAGE_SIZE = 100

export function addDeliveries(program: Command): void {
  const deliveries = program.command('deliveries').description('show and resend webhook deliveries')
  addFiltered(deliveries)
  addOnOne(deliveries, 'show', {
    what: 'delivery',
    description: 'show a delivery, its body and its attempts',
    run: async (deps, orgId, id) => viewDeliveryDetail(await readDelivery(deps, orgId, id)),
    print: printDetail,
  }).option('--json', 'print JSON')
  addResend(deliveries)
}

interface ListOptions {
  state?: DeliveryState
  endpoint?: string
  event?: WebhookEvent
  since?: number
  limit: number
}

function addFiltered(deliveries: Command): void {
  addList(deliveries, {
    description: 'list deliveries, newest first',
    find: async (deps, orgId, { limit, endpoint, state, event, since }: ListOptions) =>
      (await listMany(deps, orgId, { state, event, since, endpointId: endpoint }, limit)).map(viewDelivery),
    columns: {
      ID: ({ id }) => id,
      EVENT: nameOf,
      STATE: ({ state }) => state,
      ATTEMPTS: ({ attempts }) => String(attempts),
      LAST: ({ lastStatus, lastError }) => [lastStatus, lastError?.code].filter(Boolean).join(' ') || '-',
      'NEXT ATTEMPT': ({ nextAttemptAt }) => formatTime(nextAttemptAt),
      CREATED: ({ createdAt }) => formatTime(createdAt),
      URL: ({ url }) => url,
    },
    whenEmpty: 'No deliveries match.',
  })
    .option('--state <state>', `one of ${DELIVERY_STATES.join(', ')}`, oneOf(DELIVERY_STATES))
    .option('--endpoint <id>', 'only deliveries of this endpoint')
    .option('--event <event>', WEBHOOK_EVENTS.join(' or '), oneOf(WEBHOOK_EVENTS))
    .option('--since <time>', 'a date like 2026-03-01T09:00:00Z, or a duration like 2h', pastTime)
    .option('--limit <number>', 'how many to list', wholeNumber, PAGE_SIZE)
}

async function listMany(
  deps: Deps,
  orgId: string,
  filter: DeliveryFilter,
  limit: number,
): Promise<DeliveryRow[]> {
  const all: DeliveryRow[] = []
  let cursor: string | undefined
  while (all.length < limit) {
    const page = await listDeliveries(deps, orgId, {
      ...filter,
      cursor,
      limit: Math.min(limit - all.length, PAGE_SIZE),
    })
    all.push(...page.deliveries)
    if (page.nextCursor === null) break
    cursor = page.nextCursor
  }
  return all
}

function nameOf({ event, isTest }: { event: string; isTest: boolean }): string {
  return isTest ? `${event} (test)` : event
}

function printDetail(detail: ReturnType<typeof viewDeliveryDetail>): void {
  printFacts({
    id: detail.id,
    event: nameOf(detail),
    ticket: detail.ticketId ?? '-',
    endpoint: `${detail.endpointId} ${detail.url}`,
    state: detail.state,
    created: formatTime(detail.createdAt),
    finished: formatTime(detail.finishedAt),
    'next attempt': formatTime(detail.nextAttemptAt),
    'last error': detail.lastError?.sentence ?? '-',
  })
  print('')
  printTable(
    ['ATTEMPT', 'KIND', 'STARTED', 'MS', 'STATUS', 'OUTCOME', 'DETAIL'],
    detail.history.map((attempt) => [
      String(attempt.number),
      attempt.kind,
      formatTime(attempt.startedAt),
      String(attempt.durationMs ?? '-'),
      String(attempt.status ?? '-'),
      attempt.succeeded === null ? 'in progress' : (attempt.error?.code ?? 'succeeded'),
      attempt.detail ?? '-',
    ]),
    'No attempts yet.',
  )
  if (detail.body !== null) print(`\n${escapeControls(detail.body)}`)
}

interface ResendOptions {
  endpoint?: string
  since?: number
  json?: true
}

function addResend(deliveries: Command): void {
  deliveries
    .command('resend [id]')
    .description('resend one delivery, or all failed deliveries of an endpoint since a time')
    .option('--endpoint <id>', 'endpoint whose failed deliveries to resend')
    .option('--since <time>', 'a date like 2026-03-01T09:00:00Z, or a duration like 2h', pastTime)
    .option('--json', 'print JSON')
    .action(async (id: string | undefined, { endpoint, since, json }: ResendOptions) => {
      if (id !== undefined && endpoint === undefined && since === undefined) {
        await withOwner('delivery', { named: id }, (deps, orgId) => resendDelivery(deps, orgId, id))
        return json ? printJson({ id }) : print(`Resending ${id}.`)
      }
      if (id !== undefined || endpoint === undefined || since === undefined) {
        throw new UsageError('Give the id of a delivery, or --endpoint and --since.')
      }
      const job = await withOwner('endpoint', { named: endpoint }, async (deps, orgId) =>
        viewResendJob(await resendFailedSince(deps, orgId, { endpointId: endpoint, since })),
      )
      if (json) printJson(job)
      else print(`Resending what failed since ${job.since} (job ${job.id}).`)
    })
}
