import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { blockVisitor } from '../../server/channels/widget/inbox/blocked-visitors.ts'
import { engine } from '../../server/database/columns.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, clientWithKey, startBellhop } from '../support/bellhop.ts'
import { type OpenStream, openLive } from '../support/live.ts'
import { sharedSettings } from '../support/servers.ts'
import { makeTicket } from '../support/tickets.ts'
import { openWidget, type TestWidget } from '../support/visitors.ts'

describe.if(engine === 'postgresql')('on two servers of one database', () => {
  let settings: Record<string, string>
  let nodes: [Bellhop, Bellhop]
  let client: Client
  let widget: TestWidget
  /** On the first server, and on the second one. */
  let ana: SignedInAgent
  let ben: SignedInAgent
  const open: OpenStream[] = []

  beforeAll(async () => {
    settings = await sharedSettings()
    nodes = await Promise.all([startBellhop({ settings }), startBellhop({ settings })])
    client = await nodes[0].organization()
    widget = await openWidget(nodes[0], client.orgId)
    ana = await signInAgent(nodes[0], client.orgId, { name: 'Ana', role: 'admin' })
    ben = (await signInAgent(nodes[0], client.orgId, { name: 'Ben' })).at(nodes[1].url)
  })
  afterEach(async () => {
    for (const stream of open.splice(0)) await stream.close()
  })
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
  })

  async function kept(stream: Promise<OpenStream>): Promise<OpenStream> {
    open.push(await stream)
    await (await stream).next('hello')
    return stream
  }
  const inboxOf = (agent: SignedInAgent, node: 0 | 1, more: Parameters<typeof openLive>[2] = {}) =>
    kept(openLive(nodes[node].url, agent, more))

  test('a page gets what is done on the other one, and goes on there where it was', async () => {
    const page = await inboxOf(ben, 1)
    const first = await makeTicket(client)
    const { id: at } = await page.next('changed', ({ ticketId }) => ticketId === first.id)
    await page.close()
    const second = await makeTicket(client)
    const moved = await inboxOf(ben, 0, { after: at ?? 0 })
    await moved.next('changed', ({ ticketId }) => ticketId === second.id)
    expect(moved.seen.map(({ event }) => event)).not.toContain('reset')
    expect(moved.numbers()[0]).toBe((at ?? 0) + 1)
  })

  test('a program that waits for events gets them at once', async () => {
    const other = await clientWithKey(nodes[1].deps, nodes[1].url, client.orgId, {})
    const { newestEvent } = (await client.call('GET', '/me')).json
    const waiting = other.call<{ data: { ticketId: string }[] }>(
      'GET',
      `/events?after=${newestEvent}&wait=30`,
    )
    const { id } = await makeTicket(client)
    expect((await waiting).json.data[0]?.ticketId).toBe(id)
  })

  test('agents see who is there, also where a page reaches one server with its stream and the other with its requests', async () => {
    const { id: ticketId } = await makeTicket(client)
    const page = await inboxOf(ana, 0)
    const other = await inboxOf(ben, 1, { page: 'ben-1' })
    await page.next('presence', ({ online }) => JSON.stringify(online).includes(ben.id))
    const replies = [{ agentId: ben.id, state: 'replying' }]
    const body = { pageId: 'ben-1', ticketId, state: 'replying' }
    await ben.at(nodes[0].url).call('POST', '/console/presence', { body })
    for (const one of [page, other]) {
      await one.next('presence', ({ tickets }) => Bun.deepEquals(tickets, { [ticketId]: replies }))
    }
    await other.close()
    await page.next('presence', ({ tickets }) => Bun.deepEquals(tickets, {}))
  })

  test('visitors see who replies, and agents who types', async () => {
    const visitor = await widget.visit()
    const { conversation } = await visitor.say('Hello')
    const ticketId = conversation.id
    const stream = await kept(widget.at(nodes[1].url).page(visitor.token).stream())
    const inbox = await inboxOf(ben, 1)
    await ana.call('POST', '/console/presence', { body: { pageId: 'p', ticketId, state: 'replying' } })
    expect((await stream.next('typing')).data).toMatchObject({ agentName: 'Ana', isTyping: true })
    await visitor.call('POST', `/conversations/${ticketId}/typing`, { body: { isTyping: true } })
    await inbox.next('presence', ({ typing }) => Bun.deepEquals(typing, [ticketId]))
  })

  test('the streams of who is signed out or blocked on one end on the other, and those of others stay', async () => {
    const there = widget.at(nodes[1].url)
    const [bo, cy, eve] = [await widget.visit(), await widget.visit(), await widget.visit()]
    const streamOf = (token: string) => kept(there.page(token).stream())
    const [out, blocked, stays] = [
      await streamOf(bo.token),
      await streamOf(cy.token),
      await streamOf(eve.token),
    ]
    await bo.call('DELETE', '/session')
    await blockVisitor(nodes[0].deps, client.orgId, { id: cy.id, isBlocked: true })
    await out.next('signed_out')
    await blocked.next('blocked')
    await eve.say('Still here')
    await stays.next('message')
    const dan = await signInAgent(nodes[0], client.orgId, { name: 'Dan' })
    const page = await inboxOf(dan, 1)
    await ana.call('POST', `/console/agents/${dan.id}/disable`, { body: {} })
    await page.next('signed-out')
  })

  test('an agent is notified on the page that is open on the other one', async () => {
    const cleo = await signInAgent(nodes[0], client.orgId, { name: 'Cleo' })
    const pages = [await inboxOf(cleo, 0), await inboxOf(cleo, 1)]
    const { id } = await makeTicket(client)
    await ana.call('PATCH', `/v1/tickets/${id}`, { body: { assignedTo: cleo.id } })
    for (const page of pages) await page.next('notified')
  })

  test('a server that starts knows who is there already', async () => {
    const page = await inboxOf(ana, 0)
    await page.next('presence', ({ online }) => JSON.stringify(online).includes(ana.id))
    const third = await startBellhop({ settings })
    const other = await openLive(third.url, ben)
    await other.next('presence', ({ online }) => JSON.stringify(online).includes(ana.id))
    await page.next('presence', ({ online }) => JSON.stringify(online).includes(ben.id))
    await third.stop()
    await page.next('presence', ({ online }) => !JSON.stringify(online).includes(ben.id))
  })
})
