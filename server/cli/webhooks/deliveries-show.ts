import type { Command } from 'commander'
import { readDelivery } from '../../webhooks/deliveries/delivery-log.ts'
import { viewDeliveryDetail } from '../../webhooks/deliveries/views.ts'
import { escapeControls, formatTime, print, printFacts, printJson, printTable } from '../output.ts'
import { withOwner } from '../with-deps.ts'

type Detail = ReturnType<typeof viewDeliveryDetail>

export function addShow(deliveries: Command): void {
  deliveries
    .command('show <id>')
    .description('show a delivery, its body and its attempts')
    .option('--json', 'print JSON')
    .action(async (id: string, { json }: { json?: true }) => {
      const found = await withOwner('delivery', { named: id }, (deps, orgId) => readDelivery(deps, orgId, id))
      const detail = viewDeliveryDetail(found)
      if (json) printJson(detail)
      else printDetail(detail)
    })
}

function printDetail(detail: Detail): void {
  printFacts({
    id: detail.id,
    event: detail.isTest ? `${detail.event} (test)` : detail.event,
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
