import { afterAll, expect, test } from 'bun:test'
import { eventsAfter } from '../../server/events/events.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { problemOf } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben' })
const cleo = await signInAgent(bellhop, acme.orgId, { name: 'Cleo' })
const admin = await signInAgent(bellhop, acme.orgId, { name: 'Ada', role: 'admin' })

interface View {
  id: string
  name: string
  query: string
  isShared: boolean
  isMine: boolean
}

async function make(agent: SignedInAgent, body: object): Promise<View> {
  const answer = await agent.call<View>('POST', '/console/views', { body })
  expect(answer.status, answer.text).toBe(201)
  return answer.json
}

async function viewsOf(agent: SignedInAgent): Promise<View[]> {
  return (await agent.call<{ data: View[] }>('GET', '/console/views')).json.data
}

test('a view is private until it is shared', async () => {
  const made = await make(ben, { name: '  Angry ', query: ' tag:angry status:open ' })
  expect(made).toEqual({
    id: made.id,
    name: 'Angry',
    query: 'tag:angry status:open',
    isShared: false,
    isMine: true,
  })
  expect(await viewsOf(ben)).toEqual([made])
  expect(await viewsOf(cleo)).toEqual([])
  problemOf(await cleo.call('PATCH', `/console/views/${made.id}`, { body: { name: 'x' } }), 404, 'not_found')
  problemOf(await admin.call('DELETE', `/console/views/${made.id}`), 404, 'not_found')
  const shared = await ben.call<View>('PATCH', `/console/views/${made.id}`, { body: { isShared: true } })
  expect(shared.json).toEqual({ ...made, isShared: true })
  expect(await viewsOf(cleo)).toEqual([{ ...made, isShared: true, isMine: false }])
})

test('only its creator or an administrator can change or delete a shared view', async () => {
  const { id } = await make(ben, { name: 'Late', query: 'status:open before:2026-01-01', isShared: true })
  problemOf(await cleo.call('PATCH', `/console/views/${id}`, { body: { name: 'x' } }), 403, 'not_your_view')
  problemOf(await cleo.call('DELETE', `/console/views/${id}`), 403, 'not_your_view')
  const changed = await admin.call<View>('PATCH', `/console/views/${id}`, {
    body: { name: 'Very late', query: 'is:unread' },
  })
  expect(changed.json).toEqual({ id, name: 'Very late', query: 'is:unread', isShared: true, isMine: false })
  expect((await ben.call('DELETE', `/console/views/${id}`)).status).toBe(204)
  expect((await viewsOf(ben)).some((view) => view.id === id)).toBe(false)
  problemOf(await ben.call('DELETE', `/console/views/${id}`), 404, 'not_found')
})

test('a view with an invalid query is refused', async () => {
  for (const query of ['status:opne', 'assigned:nobody', 'after:soon']) {
    problemOf(
      await ben.call('POST', '/console/views', { body: { name: 'Odd', query } }),
      400,
      'invalid_query',
    )
  }
  const { id } = await make(ben, { name: 'Fine', query: '' })
  problemOf(
    await ben.call('PATCH', `/console/views/${id}`, { body: { query: 'is:odd' } }),
    400,
    'invalid_query',
  )
  for (const body of [
    { query: '' },
    { name: ' ', query: '' },
    { name: 'x'.repeat(61), query: '' },
    { name: 'x', query: '', color: 'red' },
  ]) {
    problemOf(await ben.call('POST', '/console/views', { body }), 400, 'invalid_request')
  }
})

test('pages hear when a view changes', async () => {
  const before = await workspaceChanges()
  const { id } = await make(cleo, { name: 'Mine', query: 'assigned:me' })
  await cleo.call('PATCH', `/console/views/${id}`, { body: { name: 'Still mine' } })
  await cleo.call('DELETE', `/console/views/${id}`)
  expect((await workspaceChanges()) - before).toBe(3)
})

test('shared views do not count toward another agent’s private views', async () => {
  const dora = await signInAgent(bellhop, acme.orgId, { name: 'Dora' })
  const emil = await signInAgent(bellhop, acme.orgId, { name: 'Emil' })
  const shared = (await viewsOf(dora)).length
  for (let left = 50 - shared; left > 0; left -= 1)
    await make(dora, { name: 'Ours', query: '', isShared: true })
  const body = { name: 'One too many', query: '', isShared: true }
  problemOf(await emil.call('POST', '/console/views', { body }), 409, 'too_many_views')
  const mine = await make(emil, { name: 'Mine', query: 'assigned:me' })
  expect((await viewsOf(emil)).some(({ id }) => id === mine.id)).toBe(true)
  const share = await emil.call('PATCH', `/console/views/${mine.id}`, { body: { isShared: true } })
  problemOf(share, 409, 'too_many_views')
  for (const { id } of await viewsOf(dora)) await admin.call('DELETE', `/console/views/${id}`)
})

test('making a shared view private again is limited like creating one', async () => {
  const finn = await signInAgent(bellhop, acme.orgId, { name: 'Finn' })
  const { id } = await make(finn, { name: 'Ours', query: '', isShared: true })
  for (let left = 50; left > 0; left -= 1) await make(finn, { name: 'Mine', query: '' })
  const back = await finn.call('PATCH', `/console/views/${id}`, { body: { isShared: false } })
  problemOf(back, 409, 'too_many_views')
  expect((await finn.call('PATCH', `/console/views/${id}`, { body: { name: 'Still ours' } })).status).toBe(
    200,
  )
})

test('the number of views is limited', async () => {
  for (let left = 50 - (await viewsOf(cleo)).filter(({ isShared }) => !isShared).length; left > 0; left -= 1)
    await make(cleo, { name: 'One more', query: '' })
  problemOf(
    await cleo.call('POST', '/console/views', { body: { name: 'Too many', query: '' } }),
    409,
    'too_many_views',
  )
})

async function workspaceChanges(): Promise<number> {
  const events = await eventsAfter(bellhop.deps.database.read, acme.orgId, 0, 1_000)
  return events.filter(({ type }) => type === 'workspace.changed').length
}
