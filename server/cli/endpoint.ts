import type { Command } from 'commander'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../database/tables/events.ts'
import { isoTimeOrNull } from '../dates.ts'
import type { Deps } from '../deps.ts'
import { UsageError } from '../errors.ts'
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  listEndpoints,
  updateEndpoint,
} from '../webhooks/endpoints/endpoints.ts'
import {
  cancelStagedSecret,
  promoteSecret,
  rotateSecret,
  stageSecret,
} from '../webhooks/endpoints/secrets.ts'
import { testEndpoint } from '../webhooks/endpoints/test-delivery.ts'
import { viewEndpoint } from '../webhooks/endpoints/views.ts'
import { addList, addOfOrg, addOnOne } from './commands.ts'
import { oneOf, wordsOf } from './option-values.ts'
import { formatTime, note, print } from './output.ts'

const what = 'endpoint'
const EVENTS = `some of ${WEBHOOK_EVENTS.join(',')}`

export function addEndpoint(program: Command): void {
  const endpoint = program.command('endpoint').description('create and manage webhook endpoints')
  addOfOrg(endpoint, 'create', {
    description: 'create an endpoint and print {"id","secret"}; the secret is shown only once',
    run: (deps, orgId, { url, events, description }: Settings) =>
      createEndpoint(deps, orgId, { url, events, description }),
    print: (made) => print(JSON.stringify({ id: made.endpoint.id, secret: made.secret })),
  })
    .requiredOption('--url <url>', 'https URL that receives the events')
    .requiredOption('--events <events>', EVENTS, wordsOf(WEBHOOK_EVENTS))
    .option('--description <text>', 'a note for administrators')
    .option('--json', 'print JSON (the default)')
  addList(endpoint, {
    description: 'list the endpoints of an organization with their health, oldest first',
    find: async (deps, orgId) => (await listEndpoints(deps, orgId)).map(viewEndpoint),
    columns: {
      ID: ({ id }) => id,
      URL: ({ url }) => url,
      EVENTS: ({ events }) => events.join(','),
      STATE: ({ isOn, offReason }) => (isOn ? 'on' : `off (${offReason})`),
      SUCCESS: ({ health: { successRate } }) =>
        successRate === null ? '-' : `${Math.round(successRate * 100)} %`,
      'LAST SUCCESS': ({ health }) => formatTime(health.lastSuccessAt),
      'LAST ERROR': ({ health: { lastErrorAt, lastError } }) =>
        lastErrorAt === null ? '-' : `${formatTime(lastErrorAt)} ${lastError?.code ?? ''}`,
    },
    whenEmpty: 'No endpoints yet. Create one with: bellhop endpoint create',
  })
  addOnOne(endpoint, 'update', {
    what,
    description: 'change the URL, events or description of an endpoint',
    check: (given: Partial<Settings>) => {
      if ((given.url ?? given.events ?? given.description) !== undefined) return
      throw new UsageError('Give --url, --events or --description.')
    },
    run: async (deps, orgId, id, { url, events, description }) => {
      const change = {
        ...(url !== undefined && { url }),
        ...(events && { events }),
        ...(description !== undefined && { description }),
      }
      return viewEndpoint(await updateEndpoint(deps, orgId, { id, change }))
    },
    print: (_, id) => print(`Changed ${id}.`),
  })
    .option('--url <url>', 'https URL that receives the events')
    .option('--events <events>', EVENTS, wordsOf(WEBHOOK_EVENTS))
    .option('--description <text>', 'a note for administrators')
    .option('--json', 'print the endpoint')
  addOnOne(endpoint, 'disable', {
    what,
    description: 'stop sending to an endpoint, and hold its deliveries until it is enabled',
    run: (deps, orgId, id) => disableEndpoint(deps, orgId, id),
    print: (_, id) => print(`Disabled ${id}. Its deliveries are held.`),
  })
  addOnOne(endpoint, 'enable', {
    what,
    description: 'enable an endpoint and send its held deliveries',
    run: (deps, orgId, id) => enableEndpoint(deps, orgId, id),
    print: (_, id) => print(`Enabled ${id}. Sending its held deliveries.`),
  })
  addRotate(endpoint)
  addOnOne(endpoint, 'test', {
    what,
    description: 'send a sample event and print the id of the delivery',
    run: (deps, orgId, id, { event }: { event: WebhookEvent }) => testEndpoint(deps, orgId, { id, event }),
    print: ({ deliveryId }) => print(deliveryId),
  })
    .option('--event <event>', WEBHOOK_EVENTS.join(' or '), oneOf(WEBHOOK_EVENTS), 'ticket.created')
    .option('--json', 'print JSON')
  addOnOne(endpoint, 'delete', {
    what,
    description: 'delete an endpoint and cancel its deliveries; the delivery log stays',
    run: deleteEndpoint,
    print: (_, id) => print(`Deleted ${id}.`),
  })
}

interface Settings {
  url: string
  events: WebhookEvent[]
  description?: string
}

interface RotateOptions {
  stage?: true
  promote?: true
  cancel?: true
  force?: true
}

function addRotate(endpoint: Command): void {
  addOnOne(endpoint, 'rotate', {
    what,
    description:
      'replace the signing secret and print {"id","secret"}. X-Service-Signature uses the new secret at once, webhook-signature both for 24 hours. If your receiver checks X-Service-Signature, use --stage, then --promote',
    check: (options: RotateOptions) => {
      if (Object.keys(options).length < 2) return
      throw new UsageError('Give one of --stage, --promote, --cancel and --force.')
    },
    run: rotate,
    print,
  })
    .option('--stage', 'create a secret that signs webhook-signature together with the current one')
    .option('--promote', 'make the staged secret the current one')
    .option('--cancel', 'delete the staged secret')
    .option('--force', 'rotate although the previous secret is still valid, which ends it now')
}

async function rotate(deps: Deps, orgId: string, id: string, options: RotateOptions): Promise<string> {
  if (options.promote) {
    await promoteSecret(deps, orgId, id)
    return `Promoted the staged secret of ${id}. The previous one signs webhook-signature for 24 more hours.`
  }
  if (options.cancel) {
    await cancelStagedSecret(deps, orgId, id)
    return `Deleted the staged secret of ${id}.`
  }
  const { endpoint, secret } = options.stage
    ? await stageSecret(deps, orgId, id)
    : await rotateSecret(deps, orgId, id, options)
  note(
    options.stage
      ? 'Until you promote the new secret, X-Service-Signature uses the old one, and webhook-signature uses both.'
      : `X-Service-Signature now uses the new secret. The old one signs webhook-signature until ${formatTime(isoTimeOrNull(endpoint.previousSecretUntil))}.`,
  )
  return JSON.stringify({ id, secret })
}
