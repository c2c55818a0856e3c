import type { Command } from 'commander'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../database/tables/events.ts'
import { deleteEndpoint, disableEndpoint, enableEndpoint } from '../../webhooks/endpoints/endpoints.ts'
import { testEndpoint } from '../../webhooks/endpoints/test-delivery.ts'
import { oneOf } from '../option-values.ts'
import { print, printJson } from '../output.ts'
import { withOwner } from '../with-deps.ts'

export function addDisable(endpoint: Command): void {
  endpoint
    .command('disable <id>')
    .description('stop sending to an endpoint, and hold its deliveries until it is enabled')
    .action(async (id: string) => {
      await withOwner('endpoint', { named: id }, (deps, orgId) => disableEndpoint(deps, orgId, id))
      print(`Disabled ${id}. Its deliveries are held.`)
    })
}

export function addEnable(endpoint: Command): void {
  endpoint
    .command('enable <id>')
    .description('enable an endpoint and send its held deliveries')
    .action(async (id: string) => {
      await withOwner('endpoint', { named: id }, (deps, orgId) => enableEndpoint(deps, orgId, id))
      print(`Enabled ${id}. Sending its held deliveries.`)
    })
}

export function addDelete(endpoint: Command): void {
  endpoint
    .command('delete <id>')
    .description('delete an endpoint and cancel its deliveries; the delivery log stays')
    .action(async (id: string) => {
      await withOwner('endpoint', { named: id }, (deps, orgId) => deleteEndpoint(deps, orgId, id))
      print(`Deleted ${id}.`)
    })
}

export function addTest(endpoint: Command): void {
  endpoint
    .command('test <id>')
    .description('send a sample event and print the id of the delivery')
    .option('--event <event>', WEBHOOK_EVENTS.join(' or '), oneOf(WEBHOOK_EVENTS), 'ticket.created')
    .option('--json', 'print JSON')
    .action(async (id: string, { event, json }: { event: WebhookEvent; json?: true }) => {
      const sent = await withOwner('endpoint', { named: id }, (deps, orgId) =>
        testEndpoint(deps, orgId, { id, event }),
      )
      if (json) printJson(sent)
      else print(sent.deliveryId)
    })
}
