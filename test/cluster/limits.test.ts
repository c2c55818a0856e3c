import { describe, expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { type Answer, type Bellhop, call, clientWithKey, startBellhop } from '../support/bellhop.ts'
import { makeAgent, newBrowserSession } from '../support/browser-session.ts'
import { createManualClock } from '../support/clock.ts'
import { connectMcp } from '../support/mcp.ts'
import { sharedSettings, startServers } from '../support/servers.ts'
import { listTickets, NO_TICKET, ticketInput } from '../support/tickets.ts'
import { openWidget, widgetWithKey } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

const MINUTE_MS = 60_000

describe.if(engine === 'postgresql')('several servers on one database', () => {
  test('a key with 300 requests a minute never gets 301 in any minute, and always nearly 300', async () => {
    const clock = createManualClock()
    await using cluster = await startServers({ clock })
    const key = await keyOf(cluster.servers, {})
    const accepted: number[] = []
    for (let step = 0; step < 190; step += 1) {
      clock.advance(700)
      // All nodes at once, one of them alone, and all again.
      const busy = step % 60 < 30 ? cluster.servers : cluster.servers.slice(0, 2)
      const answers = await Promise.all([...busy, ...busy, ...busy].map((node) => read(node, key)))
      for (const { status } of answers) if (status === 200) accepted.push(clock.now())
    }
    const inMinuteAfter = accepted.map((start) =>
      accepted.filter((at) => at >= start && at < start + MINUTE_MS),
    )
    expect(Math.max(...inMinuteAfter.map(({ length }) => length))).toBeLessThanOrEqual(300)
    const inFirst = accepted.filter((at) => at < (accepted[0] ?? 0) + MINUTE_MS)
    expect(inFirst.length).toBeGreaterThanOrEqual(297)
  })

  test('a program sends 30 replies a minute with a tool, whichever server it calls', async () => {
    const clock = createManualClock()
    await using cluster = await startServers({ clock })
    const [{ deps }] = cluster.servers
    const { id } = await createOrganization(deps, { name: 'Acme' })
    const { key } = await clientWithKey(deps, '', id, {})
    const programs = await Promise.all(cluster.servers.map(({ url }) => connectMcp({ url, key })))
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        programs.map(({ call }) => call('send_reply', { ticket: NO_TICKET, text: 'Hello', after: 'x' })),
      ).flat(),
    )
    const codes = answers.map(({ error }) => error?.code)
    expect(codes.filter((code) => code === 'not_found')).toHaveLength(30)
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(30)
  })

  test('thirty wrong passwords at once on three servers are ten attempts', async () => {
    await using cluster = await startServers({ settings: { BELLHOP_TRUST_PROXY: '127.0.0.1/32' } })
    const [{ deps }] = cluster.servers
    const { id } = await createOrganization(deps, { name: 'Acme' })
    await makeAgent({ deps }, id, { email: 'ana@acme.example' })
    const browsers = cluster.servers.map((node) =>
      newBrowserSession(node, { 'x-forwarded-for': '192.0.2.1' }),
    )
    const answers = await Promise.all(
      Array.from({ length: 10 }, () =>
        browsers.map((browser) => browser.signIn('ana@acme.example', 'wrong password')),
      ).flat(),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(20)
    for (const browser of browsers) expect((await browser.signIn('ana@acme.example')).status).toBe(429)
  })

  test('every server shows and accepts the same setup link, and one organization comes of it', async () => {
    await using cluster = await startServers()
    const [token] = new Set(cluster.servers.map(({ firstRunToken }) => firstRunToken))
    const answers = await Promise.all(
      cluster.servers.map((node, number) => {
        const admin = { name: 'Ana', email: 'ana@acme.example', password: 'correct horse battery' }
        const body = { token, organization: `Acme ${number}`, ...admin }
        return newBrowserSession(node).call('POST', '/console/first-run', { body })
      }),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409])
  })

  test('the same Idempotency-Key on two servers at once makes one ticket', async () => {
    await using cluster = await startServers()
    const [one, other] = cluster.servers
    const { id } = await createOrganization(one.deps, { name: 'Acme' })
    const client = await clientWithKey(one.deps, one.url, id, {})
    const create = (node: Bellhop, key: string) =>
      call('POST', `${node.url}/v1/tickets`, {
        body: ticketInput(),
        headers: { authorization: `Bearer ${client.key}`, 'idempotency-key': key },
      })
    for (let turn = 0; turn < 10; turn += 1) {
      const answers = await Promise.all([create(one, `key ${turn}`), create(other, `key ${turn}`)])
      const again = [await create(one, `key ${turn}`), await create(other, `key ${turn}`)]
      const made = [...answers, ...again].filter(({ status }) => status === 201)
      const refused = answers.filter(({ status }) => status !== 201).map(({ status }) => status)
      expect(refused.every((status) => status === 409)).toBe(true)
      expect(new Set(made.map(({ text }) => text)).size).toBe(1)
      expect(again.map(({ status }) => status)).toEqual([201, 201])
    }
    expect((await listTickets(client)).meta.total).toBe(10)
  })

  test('a visitor writes twenty messages in a minute, on whichever server they arrive', async () => {
    await using cluster = await startServers()
    const [first] = cluster.servers
    const { id } = await createOrganization(first.deps, { name: 'Acme' })
    const widget = await openWidget(first, id)
    const visitor = await widget.visit()
    const { conversation } = await visitor.say('Hello')
    const pages = cluster.servers.map(({ url }) => widgetWithKey(url, widget).page(visitor.token))
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        pages.map((page) => page.write('And more', { conversation: conversation.id })),
      ).flat(),
    )
    const statuses = answers.map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(19)
    expect(statuses.filter((status) => status === 429)).toHaveLength(17)
  })

  test('a visitor whose page is connected to another server is online, until it is closed', async () => {
    const clock = createManualClock()
    await using cluster = await startServers({ clock })
    const [one, other] = cluster.servers
    const { id: orgId } = await createOrganization(one.deps, { name: 'Acme' })
    const visitor = await (await openWidget(one, orgId)).visit()
    const { conversation } = await visitor.say('Hello')
    await makeAgent(one, orgId, { email: 'ana@acme.example' })
    const ana = newBrowserSession(other)
    await ana.signIn('ana@acme.example')
    const becomes = (isOnline: boolean) =>
      eventually(async () => {
        clock.advance(1_000)
        const { json } = await ana.call('GET', `/console/tickets/${conversation.id}/visitor`)
        return json.isOnline === isOnline
      })
    const stream = await visitor.stream()
    await becomes(true)
    await stream.close()
    await becomes(false)
  })

  test('a server with another secret than the one before it does not start', async () => {
    const settings = await sharedSettings()
    const first = await startBellhop({ settings })
    await first.organization()
    await first.stop()
    const other = { ...settings, BELLHOP_SECRET: 'another one for this server' }
    expect(await startBellhop({ settings: other }).catch((reason: unknown) => reason)).toMatchObject({
      name: 'StartError',
      message:
        'This database was set up with another secret. Set BELLHOP_SECRET to the value that the other servers have, or to the content of secret.key in the data folder of the first one.',
    })
    await (await startBellhop({ settings })).stop()
  })
})

async function keyOf([node]: Bellhop[], limit: { rateLimit?: number }): Promise<string> {
  if (!node) throw new Error('There is no node.')
  const { id } = await createOrganization(node.deps, { name: 'Acme' })
  return (await clientWithKey(node.deps, node.url, id, limit)).key
}

function read(node: Bellhop, key: string): Promise<Answer<unknown>> {
  return call('GET', `${node.url}/v1/tickets`, { headers: { authorization: `Bearer ${key}` } })
}
