import { afterAll, expect, test } from 'bun:test'
import { changeTickets } from '../../server/tickets/bulk/change-tickets.ts'
import { findTicket } from '../../server/tickets/queries.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { countersAndRecount } from '../support/counters.ts'
import { makeManyTickets } from '../support/many-tickets.ts'
import { readThread } from '../support/threads.ts'
import { listTickets, makeTicket, problemOf, readTicket } from '../support/tickets.ts'

interface Before {
  status: string
  assignedTo: string | null
  tags: string[]
  isSpam: boolean
  snoozedUntil: string | null
}
interface BulkJson {
  data: { id: string; before: Before }[]
  missing: string[]
  rest: string[]
}
type Item = { id: string; change: Record<string, unknown> }

let acme: Client
let ben: SignedInAgent
const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

async function freshOffice(): Promise<void> {
  acme = await bellhop.organization()
  ben = await signInAgent(bellhop, acme.orgId)
}

function makeTickets(count: number, tagsOf?: (number: number) => string[]): Promise<string[]> {
  return makeManyTickets(bellhop.deps, acme.orgId, count, tagsOf)
}

async function change(items: Item[], agent = ben): Promise<BulkJson> {
  const answer = await agent.call<BulkJson>('POST', '/console/bulk', { body: { items } })
  expect(answer.status, answer.text).toBe(200)
  return answer.json
}

async function counters(): Promise<Record<string, number>> {
  return (await countersAndRecount(bellhop.deps, acme.orgId)).kept
}

test('many tickets change at once, and the answer takes everything back', async () => {
  await freshOffice()
  const made = await makeTickets(230, (number) => (number % 2 ? [] : ['odd']))
  const before = await counters()
  const wanted = { status: 'resolved', assignedTo: ben.id, addTags: ['sorted'], removeTags: ['odd'] }
  const done = await change(made.map((id) => ({ id, change: wanted })))
  expect(done.data.map(({ id }) => id)).toEqual(made)
  expect(done.data[1]?.before).toEqual({
    status: 'open',
    assignedTo: null,
    tags: ['odd'],
    isSpam: false,
    snoozedUntil: null,
  })
  const { meta } = await listTickets(acme, `?status=resolved&assignedTo=${ben.id}&tag=sorted`)
  expect(meta.total).toBe(230)
  expect((await readThread(ben, made[1] ?? '')).timeline.at(-1)).toMatchObject({
    actor: { name: 'Ben Okafor' },
    changes: [{ field: 'status' }, { field: 'assignedTo' }, { field: 'tags', from: ['odd'], to: ['sorted'] }],
  })
  await change(done.data.map(({ id, before }) => ({ id, change: { ...before } })))
  expect(await counters()).toEqual(before)
})

test('an invalid change is refused as a whole, and nothing changes', async () => {
  await freshOffice()
  const eve = await signInAgent(bellhop, (await bellhop.organization('Other')).orgId, { name: 'Eve' })
  const { id } = await makeTicket(acme)
  const refused = async (items: unknown[]) =>
    problemOf(await ben.call('POST', '/console/bulk', { body: { items } }), 400, 'invalid_request')
  await refused([{ id, change: { assignedTo: eve.id, status: 'resolved' } }])
  await refused([{ id, change: { subject: 'Not here' } }])
  await refused([{ id, change: { status: 'lost' } }])
  const many = Array.from({ length: 51 }, (_, number) => `tag ${number}`)
  await refused([
    { id, change: { addTags: many.slice(0, 50) } },
    { id, change: { addTags: many } },
  ])
  await refused([{ id, change: { tags: many.slice(0, 30), addTags: many.slice(25, 51) } }])
  await refused(Array.from({ length: 501 }, () => ({ id, change: {} })))
  expect(await readTicket(acme, id)).toMatchObject({ status: 'open', tags: [] })
})

test('of more tickets than one unit takes none changes when the last of them cannot', async () => {
  await freshOffice()
  const eve = await signInAgent(bellhop, (await bellhop.organization('Other')).orgId, { name: 'Eve' })
  const made = await makeTickets(120)
  const full = made.at(-1) ?? ''
  await change([{ id: full, change: { tags: Array.from({ length: 50 }, (_, number) => `tag ${number}`) } }])
  const before = await counters()
  const refused = async (items: Item[]) =>
    problemOf(await ben.call('POST', '/console/bulk', { body: { items } }), 400, 'invalid_request')
  await refused(made.map((id) => ({ id, change: { addTags: ['vip'] } })))
  await refused(
    made.map((id) => ({ id, change: id === full ? { assignedTo: eve.id } : { status: 'resolved' } })),
  )
  expect(await counters()).toEqual(before)
})

test('if a change becomes impossible partway, the response lists what was done before, which can be undone', async () => {
  await freshOffice()
  const made = await makeTickets(450)
  const before = await counters()
  const [first = '', full = ''] = [made[0], made.at(-1)]
  const { deps } = bellhop
  const filled = Promise.withResolvers<void>()
  // With the first tickets changed, someone gives the last one all the tags that it can have.
  const stopListening = deps.pulse.listen(async () => {
    const [ticket] = await findTicket(deps.database.read, { orgId: acme.orgId, id: first })
    if (!ticket?.tags.includes('vip')) return
    stopListening()
    const tags = Array.from({ length: 50 }, (_, number) => `tag ${number}`)
    await changeTickets(deps, acme.orgId, [{ id: full, change: { tags } }])
    filled.resolve()
  })
  const done = await change(made.map((id) => ({ id, change: { addTags: ['vip'] } })))
  await filled.promise
  expect(done.data.map(({ id }) => id)).toEqual(made.slice(0, 400))
  expect(done.rest).toEqual(made.slice(400))
  expect((await listTickets(acme, '?tag=vip')).meta.total).toBe(400)
  const items = done.rest.map((id) => ({ id, change: { addTags: ['vip'] } }))
  await problemOf(await ben.call('POST', '/console/bulk', { body: { items } }), 400, 'invalid_request')
  await change(done.data.map((one) => ({ id: one.id, change: { ...one.before } })))
  await change([{ id: full, change: { tags: [] } }])
  expect(await counters()).toEqual(before)
})

test('two agents who change the same tickets at once in opposite order both come through', async () => {
  await freshOffice()
  const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana' })
  const made = await makeTickets(20)
  const give = (ids: string[], agent: SignedInAgent) =>
    change(
      ids.map((id) => ({ id, change: { assignedTo: agent.id, addTags: [agent.name] } })),
      agent,
    )
  await Promise.all([give(made, ben), give(made.toReversed(), ana), give(made, ana), give(made, ben)])
  const { data } = await listTickets(acme, '?tag=Ana&per_page=100')
  expect(data.length).toBe(20)
  expect(data.every(({ tags }) => tags.includes('Ana') && tags.includes('Ben Okafor'))).toBe(true)
  const { kept, counted } = await countersAndRecount(bellhop.deps, acme.orgId)
  expect(kept).toEqual(counted)
  const totals = [ben, ana].map(async ({ id }) => (await listTickets(acme, `?assignedTo=${id}`)).meta.total)
  expect((await Promise.all(totals)).reduce((sum, total) => sum + total)).toBe(20)
})

test('spam is counted apart, and comes back with everything it had', async () => {
  await freshOffice()
  const { id } = await makeTicket(acme, { tags: ['vip'] })
  const before = await counters()
  await change([{ id, change: { isSpam: true } }])
  expect(await counters()).toEqual({
    'any open api spam': 1,
    'any open api spam #vip': 1,
    'nobody open api spam': 1,
    'nobody open api spam #vip': 1,
  })
  await change([{ id, change: { isSpam: false } }])
  expect(await counters()).toEqual(before)
})
