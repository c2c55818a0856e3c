import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { engine } from '../../server/database/columns.ts'
import { listEndpoints } from '../../server/webhooks/endpoints/endpoints.ts'
import {
  cancelStagedSecret,
  promoteSecret,
  rotateSecret,
  stageSecret,
} from '../../server/webhooks/endpoints/secrets.ts'
import { viewEndpoint } from '../../server/webhooks/endpoints/views.ts'
import { createManualClock } from '../support/clock.ts'
import type { ReceivedRequest } from '../support/receiver.ts'
import { openWebhooks } from '../support/webhooks.ts'

const HOUR = 3_600_000

/** Whether a receiver with this secret accepts the request by `X-Service-Signature` and by `webhook-signature`. */
function believes(secret: string, request: ReceivedRequest): [boolean, boolean] {
  const own = `sha256=${createHmac('sha256', secret).update(request.body).digest('hex')}`
  const signatures = request.headers['webhook-signature']?.split(' ') ?? []
  const at = new Date(Number(request.headers['webhook-timestamp']) * 1_000)
  const text = Buffer.from(request.body).toString()
  const standard = new Webhook(secret).sign(request.headers['webhook-id'] ?? '', at, text)
  return [request.headers['x-service-signature'] === own, signatures.includes(standard)]
}

test('a staged secret signs together with the current one, which still signs for 24 hours after the promotion', async () => {
  const clock = createManualClock()
  await using webhooks = await openWebhooks({ clock })
  const { deps, orgId } = webhooks
  const receiver = await webhooks.receiver()
  const { endpoint, secret: first } = await webhooks.endpoint(receiver.url)
  webhooks.deliver()
  const sent = async () => {
    await webhooks.ticket()
    return receiver.next()
  }
  const { secret: second } = await stageSecret(deps, orgId, endpoint.id)
  expect(second).toMatch(/^whsec_.{44}$/)
  const staged = await sent()
  expect([believes(first, staged), believes(second, staged)]).toEqual([
    [true, true],
    [false, true],
  ])
  await expect(stageSecret(deps, orgId, endpoint.id)).rejects.toThrow('Promote or cancel it first')

  await promoteSecret(deps, orgId, endpoint.id)
  const promoted = await sent()
  expect([believes(first, promoted), believes(second, promoted)]).toEqual([
    [false, true],
    [true, true],
  ])

  clock.advance(24 * HOUR)
  const dayAfter = await sent()
  expect([believes(first, dayAfter), believes(second, dayAfter)]).toEqual([
    [false, false],
    [true, true],
  ])
})

test('a cancelled staged secret no longer signs, and rotating replaces the secret in one step', async () => {
  await using webhooks = await openWebhooks()
  const { deps, orgId } = webhooks
  const receiver = await webhooks.receiver()
  const { endpoint, secret: first } = await webhooks.endpoint(receiver.url)
  webhooks.deliver()
  const { secret: dropped } = await stageSecret(deps, orgId, endpoint.id)
  await cancelStagedSecret(deps, orgId, endpoint.id)
  await expect(promoteSecret(deps, orgId, endpoint.id)).rejects.toThrow('There is no staged secret')
  const { secret: second } = await rotateSecret(deps, orgId, endpoint.id)
  // A second rotation would end the first secret before its 24 hours are over.
  await expect(rotateSecret(deps, orgId, endpoint.id)).rejects.toThrow('is valid until')
  await webhooks.ticket()
  const request = await receiver.next()
  expect([first, dropped, second].map((secret) => believes(secret, request))).toEqual([
    [false, true],
    [false, false],
    [true, true],
  ])
})

test('secrets are not in the log, in views or in the database file', async () => {
  await using webhooks = await openWebhooks()
  const receiver = await webhooks.receiver()
  const { endpoint, secret } = await webhooks.endpoint(receiver.url)
  const { secret: staged } = await stageSecret(webhooks.deps, webhooks.orgId, endpoint.id)
  webhooks.deliver()
  await webhooks.ticket()
  const { id } = await webhooks.newest('succeeded', 1)
  const views = (await listEndpoints(webhooks.deps, webhooks.orgId)).map(viewEndpoint)
  const files = engine === 'sqlite' ? ['bellhop.db', 'bellhop.db-wal'] : []
  const places = [
    webhooks.logLines.join('\n'),
    JSON.stringify(views),
    JSON.stringify(await webhooks.read(id)),
    ...files.map((file) => readFileSync(join(webhooks.deps.config.dataFolder, file), 'latin1')),
  ]
  for (const place of places) {
    for (const one of [secret, staged]) {
      expect(place.includes(one)).toBe(false)
      expect(place.includes(one.slice(6))).toBe(false)
    }
  }
})
