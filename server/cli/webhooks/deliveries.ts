import type { Command } from 'commander'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../database/tables/events.ts'
import { DELIVERY_STATES, type DeliveryState } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import {
  type DeliveryFilter,
  type DeliveryRow,
  listDeliveries,
} from '../../webhooks/deliveries/delivery-log.ts'
import { viewDelivery } from '../../webhooks/deliveries/views.ts'
import { oneOf, pastTime, wholeNumber } from '../option-values.ts'
import { formatTime, printJson, printTable } from '../output.ts'
import { withOrganization } from '../with-deps.ts'
import { addResend } from './deliveries-resend.ts'
import { addShow } from './deliveries-show.ts'

const PAGE_SIZE = 100

export function addDeliveries(program: Command): void {
  const deliveries = program.command('deliveries').description('show and resend webhook deliveries')
  addList(deliveries)
  addShow(deliveries)
  addResend(deliveries)
}

interface ListOptions {
  org: string
  state?: DeliveryState
  endpoint?: string
  event?: WebhookEvent
  since?: number
  limit: number
  json?: true
}

function addList(deliveries: Command): void {
  deliveries
    .command('list')
    .description('list deliveries, newest first')
    .requiredOption('--org <org>', 'id or name of the organization')
    .option('--state <state>', `one of ${DELIVERY_STATES.join(', ')}`, oneOf(DELIVERY_STATES))
    .option('--endpoint <id>', 'only deliveries of this endpoint')
    .option('--event <event>', WEBHOOK_EVENTS.join(' or '), oneOf(WEBHOOK_EVENTS))
    .option('--since <time>', 'a date like 2026-03-01T09:00:00Z, or a duration like 2h', pastTime)
    .option('--limit <number>', 'how many to list', wholeNumber, PAGE_SIZE)
    .option('--json', 'print JSON')
    .action(async ({ org, json, limit, endpoint, ...filter }: ListOptions) => {
      const found = await withOrganization(org, (deps, { id }) =>
        listMany(deps, id, { ...filter, endpointId: endpoint }, limit),
      )
      const views = found.map(viewDelivery)
      if (json) return printJson(views)
      printTable(
        ['ID', 'EVENT', 'STATE', 'ATTEMPTS', 'LAST', 'NEXT ATTEMPT', 'CREATED', 'URL'],
        views.map((one) => [
          one.id,
          one.isTest ? `${one.event} (test)` : one.event,
          one.state,
          String(one.attempts),
          [one.lastStatus, one.lastError?.code].filter(Boolean).join(' ') || '-',
          formatTime(one.nextAttemptAt),
          formatTime(one.createdAt),
          one.url,
        ]),
        'No deliveries match.',
      )
    })
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
