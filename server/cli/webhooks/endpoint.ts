import type { Command } from 'commander'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../database/tables/events.ts'
import { UsageError } from '../../errors.ts'
import { createEndpoint, listEndpoints, updateEndpoint } from '../../webhooks/endpoints/endpoints.ts'
import { viewEndpoint } from '../../webhooks/endpoints/views.ts'
import { wordsOf } from '../option-values.ts'
import { formatTime, print, printJson, printTable } from '../output.ts'
import { withOrganization, withOwner } from '../with-deps.ts'
import { addRotate } from './endpoint-rotate.ts'
import { addDelete, addDisable, addEnable, addTest } from './endpoint-switch.ts'

export function addEndpoint(program: Command): void {
  const endpoint = program.command('endpoint').description('create and manage webhook endpoints')
  addCreate(endpoint)
  addList(endpoint)
  addUpdate(endpoint)
  addDisable(endpoint)
  addEnable(endpoint)
  addRotate(endpoint)
  addTest(endpoint)
  addDelete(endpoint)
}

interface CreateOptions {
  org: string
  url: string
  events: WebhookEvent[]
  description?: string
}

function addCreate(endpoint: Command): void {
  endpoint
    .command('create')
    .description('create an endpoint and print {"id","secret"}; the secret is shown only once')
    .requiredOption('--org <org>', 'id or name of the organization')
    .requiredOption('--url <url>', 'https URL that receives the events')
    .requiredOption('--events <events>', `some of ${WEBHOOK_EVENTS.join(',')}`, wordsOf(WEBHOOK_EVENTS))
    .option('--description <text>', 'a note for administrators')
    .option('--json', 'print JSON (the default)')
    .action(async ({ org, url, events, description }: CreateOptions) => {
      const made = await withOrganization(org, (deps, { id }) =>
        createEndpoint(deps, id, { url, events, description }),
      )
      print(JSON.stringify({ id: made.endpoint.id, secret: made.secret }))
    })
}

function addList(endpoint: Command): void {
  endpoint
    .command('list')
    .description('list the endpoints of an organization with their health, oldest first')
    .requiredOption('--org <org>', 'id or name of the organization')
    .option('--json', 'print JSON')
    .action(async ({ org, json }: { org: string; json?: true }) => {
      const found = await withOrganization(org, (deps, { id }) => listEndpoints(deps, id))
      const endpoints = found.map(viewEndpoint)
      if (json) return printJson(endpoints)
      printTable(
        ['ID', 'URL', 'EVENTS', 'STATE', 'SUCCESS', 'LAST SUCCESS', 'LAST ERROR'],
        endpoints.map(({ health, ...one }) => [
          one.id,
          one.url,
          one.events.join(','),
          one.isOn ? 'on' : `off (${one.offReason})`,
          health.successRate === null ? '-' : `${Math.round(health.successRate * 100)} %`,
          formatTime(health.lastSuccessAt),
          health.lastErrorAt === null
            ? '-'
            : `${formatTime(health.lastErrorAt)} ${health.lastError?.code ?? ''}`,
        ]),
        'No endpoints yet. Create one with: bellhop endpoint create',
      )
    })
}

interface UpdateOptions {
  url?: string
  events?: WebhookEvent[]
  description?: string
  json?: true
}

function addUpdate(endpoint: Command): void {
  endpoint
    .command('update <id>')
    .description('change the URL, events or description of an endpoint')
    .option('--url <url>', 'https URL that receives the events')
    .option('--events <events>', `some of ${WEBHOOK_EVENTS.join(',')}`, wordsOf(WEBHOOK_EVENTS))
    .option('--description <text>', 'a note for administrators')
    .option('--json', 'print the endpoint')
    .action(async (id: string, { url, events, description, json }: UpdateOptions) => {
      const change = {
        ...(url !== undefined && { url }),
        ...(events && { events }),
        ...(description !== undefined && { description }),
      }
      if (Object.keys(change).length === 0) throw new UsageError('Give --url, --events or --description.')
      const changed = await withOwner('endpoint', { named: id }, (deps, orgId) =>
        updateEndpoint(deps, orgId, { id, change }),
      )
      if (json) printJson(viewEndpoint(changed))
      else print(`Changed ${id}.`)
    })
}
