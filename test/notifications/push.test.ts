import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { pushes } from '../../server/database/tables/notifications.ts'
import { encryptPush } from '../../server/notifications/push/encrypt-push.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { createManualClock } from '../support/clock.ts'
import { type PushService, startPushService } from '../support/push-service.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const clock = createManualClock(Date.now())
let bellhop: Bellhop
let service: PushService
let agent: SignedInAgent

beforeAll(async () => {
  service = await startPushService()
  bellhop = await startBellhop({
    clock,
    settings: { BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8', BELLHOP_WEBHOOK_CA: await writeCaFile() },
  })
  const { orgId } = await bellhop.organization()
  agent = await signInAgent(bellhop, orgId)
})

afterAll(async () => {
  await bellhop.stop()
  await service.stop()
})

interface Own {
  publicKey: string
  browsers: { id: string; endpoint: string; device: string; error: string; lastSentAt: string | null }[]
}

async function own(of = agent): Promise<Own> {
  return (await of.call<Own>('GET', '/console/me/notifications')).json
}

function sendTest(id: string) {
  return agent.call('POST', `/console/me/browsers/${id}/test`)
}

test("the example of RFC 8291 is encrypted to the RFC's bytes", async () => {
  const encrypted = await encryptPush(
    Buffer.from('When I grow up, I want to be a watermelon'),
    {
      p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
      auth: 'BTBZMqHH6r4Tts7J_aSIgg',
    },
    { salt: Buffer.from('DGv6ra1nlYgDCS1FRnbzlw', 'base64url'), own: await senderOfTheExample() },
  )
  expect(Buffer.from(encrypted).toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  )
})

/** The key pair of the application server in RFC 8291, appendix A. */
async function senderOfTheExample(): Promise<CryptoKeyPair> {
  const point = Buffer.from(
    'BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8',
    'base64url',
  )
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const curve = { name: 'ECDH', namedCurve: 'P-256' }
  const d = 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'
  return {
    publicKey: await crypto.subtle.importKey('jwk', jwk, curve, true, []),
    privateKey: await crypto.subtle.importKey('jwk', { ...jwk, d }, curve, true, ['deriveBits']),
  }
}

/** Of the push that is queued for a browser; undefined when there is none. */
async function failedAttempts(subscriptionId: string): Promise<number | undefined> {
  const isTheirs = eq(pushes.subscriptionId, subscriptionId)
  const [push] = await bellhop.deps.database.read.select().from(pushes).where(isTheirs)
  return push?.attempts
}

describe('a test push', () => {
  test('reaches the browser, readable by it alone, from a sender that its push service can verify', async () => {
    const browser = await service.subscribe(agent)
    expect((await sendTest(browser.id)).status).toBe(204)
    const [push] = await eventually(async () => {
      const received = await browser.received()
      return received.length > 0 ? received : undefined
    })
    expect(push?.payload.web_push).toBe(8030)
    expect(push?.payload.notification).toMatchObject({
      title: 'Notifications work',
      tag: 'test',
      navigate: `${bellhop.url}/settings/account/notifications`,
    })
    expect(push?.key).toBe((await own()).publicKey)
    expect(push?.claims.sub).toBe(`mailto:${agent.email}`)
    expect(push?.headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      ttl: '14400',
      urgency: 'high',
      topic: 'test',
    })
    const listed = await eventually(async () =>
      (await own()).browsers.find(({ id, lastSentAt }) => id === browser.id && lastSentAt !== null),
    )
    expect(listed).toMatchObject({ endpoint: browser.endpoint, error: '' })
  })

  test.each([404, 410])('that the push service answers with %i ends the subscription', async (status) => {
    service.respondWith(() => ({ status }))
    const browser = await service.subscribe(agent)
    await sendTest(browser.id)
    await eventually(async () => !(await own()).browsers.some(({ id }) => id === browser.id))
    service.respondWith(() => ({ status: 201 }))
  })

  test.each([429, 503])(
    'is tried three times when the push service answers %i, and the page says so',
    async (status) => {
      service.respondWith(() => ({ status }))
      const browser = await service.subscribe(agent)
      const attempts = () => service.requests.filter(({ path }) => browser.endpoint.endsWith(path)).length
      await sendTest(browser.id)
      await eventually(() => attempts() === 1)
      await eventually(async () => (await own()).browsers.some(({ id, error }) => id === browser.id && error))
      for (const [made, wait] of [6_000, 61_000].entries()) {
        await eventually(async () => (await failedAttempts(browser.id)) === made + 1)
        clock.advance(wait)
        await eventually(() => attempts() === made + 2)
      }
      await eventually(async () => (await failedAttempts(browser.id)) === undefined)
      const [listed] = (await own()).browsers.filter(({ id }) => id === browser.id)
      expect(listed?.error).toContain("The server can't reach the push service 127.0.0.1")
      clock.advance(4 * 3_600_000)
      service.respondWith(() => ({ status: 201 }))
      const other = await service.subscribe(agent)
      await sendTest(other.id)
      await eventually(async () => (await other.received()).length === 1)
      expect(attempts()).toBe(3)
    },
  )
})

describe('a browser', () => {
  test('that subscribes again is the same one, and a renewed address replaces the old one', async () => {
    const ben = await signInAgent(bellhop, agent.orgId, { name: 'Ben Weber' })
    const first = await service.subscribe(ben)
    const { endpoint, keys } = first
    const again = await ben.call<{ id: string }>('POST', '/console/me/browsers', { body: { endpoint, keys } })
    expect(again.json.id).toBe(first.id)
    const renewed = service.browser()
    await ben.call('POST', '/console/me/browsers', {
      body: { endpoint: renewed.endpoint, keys: renewed.keys, replaces: endpoint },
    })
    expect((await own(ben)).browsers.map((one) => one.endpoint)).toEqual([renewed.endpoint])
  })

  test('belongs to the agent who signed in last, and gets nothing once they sign out', async () => {
    const ben = await signInAgent(bellhop, agent.orgId, { name: 'Ben Weber' })
    const nora = await signInAgent(bellhop, agent.orgId, { name: 'Nora Lind' })
    const { endpoint, keys } = await service.subscribe(ben)
    await nora.call('POST', '/console/me/browsers', { body: { endpoint, keys } })
    expect((await own(ben)).browsers).toEqual([])
    expect((await own(nora)).browsers).toHaveLength(1)
    await nora.call('DELETE', `/console/sessions/${nora.sessionId}`)
    const back = await signInAgent(bellhop, agent.orgId, { name: 'Nora Lind' })
    expect((await own(back)).browsers).toEqual([])
  })

  test.each([
    ['http://127.0.0.1/push', 'not_https'],
    ['https://10.0.0.1/push', 'blocked_address'],
    ['https://push.internal/1', undefined],
    ['nonsense', 'invalid_url'],
  ])('can not have the address %s', async (endpoint, code) => {
    const { keys } = service.browser()
    const refused = await agent.call<{ errors: { code: string }[] }>('POST', '/console/me/browsers', {
      body: { endpoint, keys },
    })
    if (code === undefined) expect(refused.status).toBe(201)
    else expect(refused.json.errors[0]?.code).toBe(code)
  })

  test.each([
    ['a secret that is too short', { auth: 'AAAA' }],
    ['a key that is no point of the curve', { p256dh: Buffer.alloc(65, 4).toString('base64url') }],
  ])('needs the keys of a subscription, not %s', async (_, wrong) => {
    const { endpoint, keys } = service.browser()
    const refused = await agent.call<{ errors: { code: string }[] }>('POST', '/console/me/browsers', {
      body: { endpoint, keys: { ...keys, ...wrong } },
    })
    expect(refused.status).toBe(400)
    expect(refused.json.errors[0]?.code).toBe('invalid_keys')
  })

  test('can be removed by its agent only, and an agent has twenty', async () => {
    const ben = await signInAgent(bellhop, agent.orgId, { name: 'Ben Weber' })
    for (let made = 0; made < 20; made++) await service.subscribe(ben)
    const { endpoint, keys } = service.browser()
    const refused = await ben.call<{ code: string }>('POST', '/console/me/browsers', {
      body: { endpoint, keys },
    })
    expect(refused.status).toBe(409)
    const [first] = (await own(ben)).browsers
    expect((await agent.call('DELETE', `/console/me/browsers/${first?.id}`)).status).toBe(404)
    expect((await ben.call('DELETE', `/console/me/browsers/${first?.id}`)).status).toBe(204)
    expect((await own(ben)).browsers).toHaveLength(19)
  })
})

test('a bulk assignment is one push that says how many tickets there are and opens My open', async () => {
  const client = await bellhop.organization('Bulk')
  const { orgId } = client
  const [ana, ben] = [
    await signInAgent(bellhop, orgId),
    await signInAgent(bellhop, orgId, { name: 'Ben Weber' }),
  ]
  const browser = await service.subscribe(ana)
  const items = await Promise.all(
    ['Broken vase', 'Late parcel', 'Wrong size'].map(async (subject) => {
      const { id } = await makeTicket(client, { subject })
      return { id, change: { assignedTo: ana.id } }
    }),
  )
  expect((await ben.call('POST', '/console/bulk', { body: { items } })).status).toBe(200)
  // The new tickets were pushed as well.
  const assigned = await eventually(async () => {
    clock.advance(1_000)
    const shown = (await browser.received()).map(({ payload }) => payload.notification)
    return shown.find(({ title }) => title === 'Ben Weber')
  })
  expect(assigned).toMatchObject({
    body: '3 tickets assigned to you',
    navigate: `${bellhop.url}/inbox/mine`,
  })
})

test('the worker is small, answers no requests, and is asked for each time', async () => {
  const response = await fetch(`${bellhop.url}/sw.js`)
  const worker = await response.text()
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(response.headers.get('cache-control')).toBe('no-cache')
  expect(worker.length).toBeLessThan(3 * 1_024)
  expect(worker).not.toContain("'fetch'")
})

test('the pages can be installed: the manifest names an app of its own with icons that are there', async () => {
  const page = await (await fetch(`${bellhop.url}/inbox`)).text()
  const [, href = ''] = /rel="manifest" href="([^"]+)"/.exec(page) ?? []
  const manifest = await (await fetch(bellhop.url + href)).json()
  expect(manifest).toMatchObject({ id: '/inbox', display: 'standalone', start_url: '/inbox' })
  const purposes = manifest.icons.map(({ sizes, purpose }: Record<string, string>) => `${sizes} ${purpose}`)
  expect(purposes).toEqual(['192x192 any', '512x512 any', '512x512 maskable'])
  for (const { src } of manifest.icons) expect((await fetch(bellhop.url + src)).status).toBe(200)
})
