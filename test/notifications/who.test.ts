import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { disableAgent } from '../../server/agents/disable-agent.ts'
import { upsertCustomer } from '../../server/customers/customers.ts'
import { messages } from '../../server/database/tables/messages.ts'
import { notifications } from '../../server/database/tables/notifications.ts'
import { eraseTicket } from '../../server/erasure/erase.ts'
import { eventsAfter, recordEvents } from '../../server/events/events.ts'
import { mentionMark } from '../../server/formatting/inline.ts'
import { createLive, type Live } from '../../server/live/live.ts'
import { createNotifications, type Notifications } from '../../server/notifications/notifications.ts'
import { lockTicket } from '../../server/tickets/queries.ts'
import { receiveCustomerMessage } from '../../server/tickets/receive-message.ts'
import { wakeTicket } from '../../server/tickets/snooze/wake.ts'
import { openTicket } from '../../server/tickets/tickets.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { openEventStream } from '../support/live.ts'
import { type PushService, startPushService } from '../support/push-service.ts'
import { programOf, suggest } from '../support/suggestions.ts'
import { addNote } from '../support/threads.ts'
import { makeTicket } from '../support/tickets.ts'
import { openWidget } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

let bellhop: Bellhop
let service: PushService

beforeAll(async () => {
  service = await startPushService()
  bellhop = await startBellhop({
    settings: {
      BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
      BELLHOP_WEBHOOK_CA: await writeCaFile(),
    },
  })
})

afterAll(async () => {
  await bellhop.stop()
  await service.stop()
})

/** An organization with two agents who have a browser each. */
interface World {
  client: Client
  ana: SignedInAgent
  ben: SignedInAgent
  /** Creates one assigned to Ana. */
  mine(): Promise<string>
  unassigned(): Promise<string>
  customerWrites(ticketId: string, more?: { isAutomatic?: boolean }): Promise<void>
  change(by: SignedInAgent, ticketId: string, change: object): Promise<void>
  note(by: SignedInAgent, ticketId: string, text?: string): Promise<unknown>
  reply(by: SignedInAgent, ticketId: string): Promise<void>
  follow(by: SignedInAgent, ticketId: string, isFollowing?: boolean): Promise<void>
  /** How sending a message of Ana ends. */
  ends(ticketId: string, sending: 'failed' | 'bounced' | 'sent'): Promise<void>
}

/** A new ticket of a customer that its channel has assigned. */
function openFor(orgId: string, assignedTo: string): Promise<string> {
  const { deps } = bellhop
  return deps.database.write(orgId, async (tx) => {
    const customer = await upsertCustomer(deps, tx, orgId, { name: 'Eva', email: 'eva@example.com' })
    const message = { text: 'Where is it?' }
    const ticket = { channel: 'api' as const, subject: 'Parcel', customer, message, assignedTo }
    return (await openTicket(deps, tx, orgId, ticket)).id
  })
}

async function newWorld(): Promise<World> {
  const client = await bellhop.organization()
  const { orgId } = client
  const [ana, ben] = [
    await signInAgent(bellhop, orgId, { name: 'Ana Pires' }),
    await signInAgent(bellhop, orgId, { name: 'Ben Weber' }),
  ]
  for (const agent of [ana, ben]) await service.subscribe(agent)
  const { deps } = bellhop
  const ok = async (by: SignedInAgent, method: string, path: string, body?: unknown) => {
    const answer = await by.call(method, path, { body })
    expect(answer.status, answer.text).toBeLessThan(300)
  }
  return {
    client,
    ana,
    ben,
    mine: () => openFor(orgId, ana.id),
    unassigned: async () => (await makeTicket(client)).id,
    async customerWrites(ticketId, more = {}) {
      await deps.database.write(orgId, async (tx) => {
        await receiveCustomerMessage(deps, tx, orgId, { ticketId, text: 'Any news?', ...more })
      })
    },
    change: (by, ticketId, change) =>
      ok(by, 'PATCH', `/${'isSpam' in change ? 'console' : 'v1'}/tickets/${ticketId}`, change),
    note: (by, ticketId, text = 'Look at this.') => addNote(by, ticketId, text, 'markdown'),
    reply: (by, ticketId) => ok(by, 'POST', `/v1/tickets/${ticketId}/messages`, { text: 'On its way.' }),
    follow: (by, ticketId, isFollowing = true) =>
      ok(by, isFollowing ? 'PUT' : 'DELETE', `/console/tickets/${ticketId}/follower`),
    async ends(ticketId, sending) {
      await deps.database.write(orgId, async (tx) => {
        const messageId = deps.newId('msg')
        const [any] = await tx.select().from(messages).where(eq(messages.ticketId, ticketId)).limit(1)
        if (!any) throw new Error('There is no message.')
        await tx.insert(messages).values({ ...any, id: messageId, role: 'agent', agentId: ana.id, sending })
        const createdAt = deps.clock.now()
        recordEvents(deps, tx, orgId, [{ type: 'message.updated', ticketId, messageId, createdAt }])
      })
    },
  }
}

const mention = ({ id, name }: SignedInAgent) => `${mentionMark({ of: 'agent', id, name })} please look.`

/** What both agents are notified of. The tickets are new. */
type Case = [sentence: string, act: (world: World) => Promise<unknown>, ana: string[], ben: string[]]

const CASES: Case[] = [
  [
    'a ticket is created that is assigned to no one',
    ({ unassigned }) => unassigned(),
    ['unassigned'],
    ['unassigned'],
  ],
  ['a ticket is created that is assigned to Ana', ({ mine }) => mine(), ['assigned'], []],
  [
    'Ben assigns Ana a ticket',
    async ({ unassigned, change, ana, ben }) => change(ben, await unassigned(), { assignedTo: ana.id }),
    ['unassigned', 'assigned'],
    ['unassigned'],
  ],
  [
    'Ana takes a ticket',
    async ({ unassigned, change, ana }) => change(ana, await unassigned(), { assignedTo: ana.id }),
    ['unassigned'],
    ['unassigned'],
  ],
  [
    'a customer writes on a ticket of Ana',
    async ({ mine, customerWrites }) => customerWrites(await mine()),
    ['assigned', 'customer_wrote'],
    [],
  ],
  [
    'a vacation notice arrives on a ticket of Ana',
    async ({ mine, customerWrites }) => customerWrites(await mine(), { isAutomatic: true }),
    ['assigned'],
    [],
  ],
  [
    'a customer writes on a ticket of no one',
    async ({ unassigned, customerWrites }) => customerWrites(await unassigned()),
    ['unassigned'],
    ['unassigned'],
  ],
  [
    'a customer writes on a ticket of Ana that Ben follows',
    async ({ mine, follow, customerWrites, ben }) => {
      const id = await mine()
      await follow(ben, id)
      await customerWrites(id)
    },
    ['assigned', 'customer_wrote'],
    ['followed'],
  ],
  [
    'a customer writes on a ticket of Ana that she follows',
    async ({ mine, follow, customerWrites, ana }) => {
      const id = await mine()
      await follow(ana, id)
      await customerWrites(id)
    },
    ['assigned', 'customer_wrote'],
    [],
  ],
  [
    'a customer writes on a ticket that Ben no longer follows',
    async ({ mine, follow, customerWrites, ben }) => {
      const id = await mine()
      await follow(ben, id)
      await follow(ben, id, false)
      await customerWrites(id)
    },
    ['assigned', 'customer_wrote'],
    [],
  ],
  [
    'Ben notes on a ticket that Ana follows',
    async ({ mine, follow, note, ana, ben }) => {
      const id = await mine()
      await follow(ana, id)
      await note(ben, id)
    },
    ['assigned', 'followed'],
    [],
  ],
  [
    'Ana notes on a ticket that she follows',
    async ({ unassigned, follow, note, ana }) => {
      const id = await unassigned()
      await follow(ana, id)
      await note(ana, id)
    },
    [],
    ['unassigned'],
  ],
  [
    'Ben mentions Ana',
    async ({ unassigned, note, ana, ben }) => note(ben, await unassigned(), mention(ana)),
    ['unassigned', 'mentioned'],
    [],
  ],
  [
    'Ben mentions Ana, who follows the ticket',
    async ({ unassigned, follow, note, ana, ben }) => {
      const id = await unassigned()
      await follow(ana, id)
      await note(ben, id, mention(ana))
    },
    ['unassigned', 'mentioned'],
    [],
  ],
  [
    'Ana mentions herself',
    async ({ unassigned, note, ana }) => note(ana, await unassigned(), mention(ana)),
    [],
    ['unassigned'],
  ],
  [
    'Ben mentions Ana, and she answers with a note',
    async ({ unassigned, note, ana, ben }) => {
      const id = await unassigned()
      await note(ben, id, mention(ana))
      await note(ana, id, mention(ben))
    },
    [],
    ['mentioned'],
  ],
  [
    'Ben replies on a ticket of Ana',
    async ({ mine, reply, ben }) => reply(ben, await mine()),
    ['assigned'],
    [],
  ],
  [
    'Ben replies on a ticket that Ana follows',
    async ({ mine, follow, reply, ana, ben }) => {
      const id = await mine()
      await follow(ana, id)
      await reply(ben, id)
    },
    ['assigned'],
    [],
  ],
  [
    'Ana replies on her ticket, and so has seen it',
    async ({ mine, customerWrites, reply, ana }) => {
      const id = await mine()
      await customerWrites(id)
      await reply(ana, id)
    },
    [],
    [],
  ],
  [
    'a reply of Ana fails',
    async ({ mine, ends }) => ends(await mine(), 'failed'),
    ['assigned', 'failed'],
    [],
  ],
  [
    'a reply of Ana bounces',
    async ({ mine, ends }) => ends(await mine(), 'bounced'),
    ['assigned', 'failed'],
    [],
  ],
  ['a reply of Ana is sent', async ({ mine, ends }) => ends(await mine(), 'sent'), ['assigned'], []],
  [
    'a ticket becomes spam at once, and its customer writes',
    async ({ mine, change, customerWrites, ben }) => {
      const id = await mine()
      await change(ben, id, { isSpam: true })
      await customerWrites(id)
    },
    [],
    [],
  ],
  [
    'Ben changes the status and tags of a ticket of Ana',
    async ({ mine, change, ben }) => {
      const id = await mine()
      await change(ben, id, { status: 'pending' })
      await change(ben, id, { tags: ['vip'] })
    },
    ['assigned'],
    [],
  ],
  [
    'Ben gives a ticket of his to Ana, and she gives it back',
    async ({ client, change, ana, ben }) => {
      const id = await openFor(client.orgId, ben.id)
      await change(ben, id, { assignedTo: ana.id })
      await change(ana, id, { assignedTo: ben.id })
    },
    ['assigned'],
    ['assigned', 'assigned'],
  ],
  [
    'Ben unassigns a ticket of Ana',
    async ({ mine, change, ben }) => change(ben, await mine(), { assignedTo: null }),
    ['assigned'],
    [],
  ],
  [
    'a customer writes after Ana resolved the ticket',
    async ({ mine, change, customerWrites, ana }) => {
      const id = await mine()
      await change(ana, id, { status: 'resolved' })
      await customerWrites(id)
    },
    ['assigned', 'customer_wrote'],
    [],
  ],
  [
    'a ticket is deleted',
    async ({ client: { orgId }, mine }) => eraseTicket(bellhop.deps, orgId, await mine()),
    [],
    [],
  ],
  [
    'Ben assigns Ana 23 tickets at once',
    async ({ client, ana, ben }) => {
      const items = []
      for (let number = 0; number < 23; number++) {
        const id = await openFor(client.orgId, ben.id)
        items.push({ id, change: { assignedTo: ana.id } })
      }
      await ben.call('POST', '/console/bulk', { body: { items } })
    },
    ['assigned'],
    Array(23).fill('assigned'),
  ],
  [
    'a visitor opens a chat',
    async ({ client }) => {
      const visitor = await (await openWidget(bellhop, client.orgId, {})).visit()
      await visitor.say('Are you there?')
    },
    ['unassigned'],
    ['unassigned'],
  ],
  [
    'someone writes by a key as an agent',
    async ({ client, mine }) =>
      client.call('POST', `/tickets/${await mine()}/messages`, { body: { text: 'Done.', agentName: 'Bot' } }),
    ['assigned'],
    [],
  ],
  [
    'Ana has turned off push, email and sound for new unassigned tickets',
    async ({ ana, unassigned }) => {
      const off = { push: false, email: false, sound: false }
      await ana.call('PATCH', '/console/me/notifications', { body: { ways: { unassigned: off } } })
      await unassigned()
    },
    [],
    ['unassigned'],
  ],
  [
    'Ben is disabled',
    async ({ ben, unassigned }) => {
      await disableAgent(bellhop.deps, ben.orgId, ben.id)
      await unassigned()
    },
    ['unassigned'],
    [],
  ],
  [
    'Ana has the ticket open in a tab with the focus',
    async ({ ana, mine, customerWrites }) => {
      const id = await mine()
      const stream = await openEventStream(`${bellhop.url}/console/live?page=one`, { cookie: ana.cookie })
      await look(ana, id, true)
      await customerWrites(id)
      await settled(ana.orgId)
      await stream[Symbol.asyncDispose]()
    },
    [],
    [],
  ],
  [
    'Ana has the ticket open in a tab without the focus',
    async ({ ana, mine, customerWrites }) => {
      const id = await mine()
      await look(ana, id, false)
      await customerWrites(id)
    },
    ['assigned', 'customer_wrote'],
    [],
  ],
  [
    'Ana opens the ticket afterwards',
    async ({ ana, mine, customerWrites }) => {
      const id = await mine()
      await customerWrites(id)
      await settled(ana.orgId)
      await look(ana, id, true)
    },
    [],
    [],
  ],
  [
    'Ana looks at another ticket',
    async ({ ana, mine, customerWrites }) => {
      const id = await mine()
      await look(ana, await mine(), true)
      await customerWrites(id)
    },
    ['assigned', 'customer_wrote'],
    [],
  ],
  [
    'a snooze of Ana ends',
    async ({ mine, ana }) => {
      const id = await mine()
      const change = { snoozedUntil: new Date(Date.now() + 3_600_000).toISOString() }
      expect((await ana.call('POST', '/console/bulk', { body: { items: [{ id, change }] } })).status).toBe(
        200,
      )
      const { orgId } = ana
      await bellhop.deps.database.write(orgId, async (tx) => {
        const [ticket] = await lockTicket(tx, { orgId, id })
        if (ticket) await wakeTicket(bellhop.deps, tx, { ticket })
      })
    },
    ['assigned', 'snooze_ended'],
    [],
  ],
  [
    'a ticket is new in a view with a bell of Ben, whatever happens to it later',
    async ({ mine, change, customerWrites, ana, ben }) => {
      const body = { name: 'VIP', query: 'tag:vip' }
      const view = await ben.call<{ id: string }>('POST', '/console/views', { body })
      const bell = { push: true, email: false }
      await ben.call('PUT', `/console/views/${view.json.id}/bell`, { body: bell })
      const id = await mine()
      await change(ana, id, { tags: ['vip'] })
      await settled(ana.orgId)
      await customerWrites(id)
    },
    ['assigned', 'customer_wrote'],
    ['view'],
  ],
  [
    'an answer is suggested, and a bell of Ben waits for that',
    async ({ client, mine, ben }) => {
      const body = { name: 'Suggested', query: 'is:suggested' }
      const view = await ben.call<{ id: string }>('POST', '/console/views', { body })
      const bell = { push: true, email: false }
      await ben.call('PUT', `/console/views/${view.json.id}/bell`, { body: bell })
      await suggest(await programOf(bellhop, client, 'Answer bot'), await mine(), { text: 'Yes' })
    },
    ['assigned'],
    ['view'],
  ],
  [
    'Ana has paused: what happens is kept for later',
    async ({ ana, mine }) => {
      const pausedUntil = new Date(Date.now() + 3_600_000).toISOString()
      await ana.call('PATCH', '/console/me/notifications', { body: { pausedUntil } })
      await mine()
    },
    ['assigned'],
    [],
  ],
]

function look(agent: SignedInAgent, ticketId: string, isFocused: boolean) {
  return agent.call('POST', '/console/presence', {
    body: { pageId: 'one', ticketId, state: 'viewing', isFocused },
  })
}

let sentinels = 0

/** Waits until agents have been notified of everything so far: a new agent is notified of a ticket that is created now. */
async function settled(orgId: string): Promise<void> {
  sentinels += 1
  const last = await signInAgent(bellhop, orgId, { name: `Zoe ${sentinels}` })
  await service.subscribe(last)
  await openFor(orgId, last.id)
  await eventually(async () => (await unseen(last)).length > 0)
}

async function unseen(agent: SignedInAgent): Promise<{ reason: string; ticketId: string }[]> {
  const answer = await agent.call<{ data: { reason: string; ticketId: string }[] }>(
    'GET',
    '/console/notifications',
  )
  return answer.json.data ?? []
}

describe('who is notified when', () => {
  test.each(CASES)('%s', async (_, act, ana, ben) => {
    const world = await newWorld()
    await act(world)
    await settled(world.client.orgId)
    expect((await unseen(world.ana)).map(({ reason }) => reason)).toEqual(ana)
    expect((await unseen(world.ben)).map(({ reason }) => reason)).toEqual(ben)
  })
})

describe('of a new ticket whose events were read', () => {
  let live: Live
  let own: Notifications
  beforeAll(() => {
    live = createLive(bellhop.deps)
    own = createNotifications(bellhop.deps, live)
  })
  afterAll(async () => {
    own.stop()
    await live.stop()
  })

  const eventsOf = (orgId: string) => eventsAfter(bellhop.deps.database.read, orgId, 0, 10)

  test('and that is deleted before anyone is notified, no one is', async () => {
    const { deps } = bellhop
    const { ana, mine } = await newWorld()
    const { orgId } = ana
    const id = await mine()
    const effect = await own.reaction.effectOf(orgId, await eventsOf(orgId))
    await eraseTicket(deps, orgId, id)
    await deps.database.write(orgId, async (tx) => effect?.(tx))
    expect(effect).toBeDefined()
    expect(await unseen(ana)).toEqual([])
  })

  test('and that is assigned before the ticket is read, everyone is notified as of an unassigned one', async () => {
    const { deps } = bellhop
    const { ana, ben, unassigned, change } = await newWorld()
    const { orgId } = ana
    const id = await unassigned()
    const events = await eventsOf(orgId)
    await change(ben, id, { assignedTo: ana.id })
    await settled(orgId)
    const effect = await own.reaction.effectOf(orgId, events)
    await deps.database.write(orgId, async (tx) => {
      // As if the server had not reacted yet.
      await tx.delete(notifications).where(eq(notifications.orgId, orgId))
      await effect?.(tx)
    })
    expect((await unseen(ana)).map(({ reason }) => reason)).toEqual(['unassigned'])
    expect((await unseen(ben)).map(({ reason }) => reason)).toEqual(['unassigned'])
  })
})
