import { afterAll, expect, test } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { addNote, readThread } from '../support/threads.ts'
import { changeTicket, makeTicket, problemOf, readTicket } from '../support/tickets.ts'

const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)
const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Lima' })

test('a thread shows messages, notes and changes in the order they happened, each in the name of who did it', async () => {
  const { id } = await makeTicket(acme)
  clock.advance(1)
  await addNote(ben, id, 'She called, too.')
  await ben.call('PATCH', `/v1/tickets/${id}`, { body: { status: 'pending', assignedTo: ben.id } })
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'It is attached.' } })
  await changeTicket(acme, id, { tags: ['billing'] })
  await ana.call('PATCH', `/console/tickets/${id}`, { body: { subject: 'Invoice of February' } })

  const { timeline, ticket } = await readThread(ben, id)
  expect(ticket).toMatchObject({ subject: 'Invoice of February', isSpam: false, status: 'pending' })
  expect(timeline).toMatchObject([
    { kind: 'message', role: 'customer', text: 'My invoice for February is missing.' },
    { kind: 'note', text: 'She called, too.', agentId: ben.id, agentName: 'Ben Okafor' },
    {
      kind: 'activity',
      actor: { kind: 'agent', name: 'Ben Okafor' },
      changes: [
        { field: 'status', from: 'open', to: 'pending' },
        { field: 'assignedTo', from: '', to: ben.id },
      ],
    },
    { kind: 'message', role: 'agent', agentName: 'Website', sending: 'sent' },
    {
      kind: 'activity',
      actor: { kind: 'key', name: 'Website' },
      changes: [{ field: 'tags', from: [], to: ['billing'] }],
    },
    {
      kind: 'activity',
      actor: { kind: 'agent', name: 'Ana Lima' },
      changes: [{ field: 'subject', from: 'Missing invoice', to: 'Invoice of February' }],
    },
  ])
})

test('a change that changes nothing leaves no line in the thread', async () => {
  const { id } = await makeTicket(acme, { tags: ['vip'] })
  await changeTicket(acme, id, { status: 'open', assignedTo: null, tags: ['vip'] })
  await ben.call('PATCH', `/console/tickets/${id}`, { body: { subject: 'Missing invoice', isSpam: false } })
  expect((await readThread(ben, id)).timeline).toHaveLength(1)
})

test('the browser keeps no thread on its disk', async () => {
  const { id } = await makeTicket(acme)
  const { headers } = await ben.call('GET', `/console/tickets/${id}`)
  expect(headers.get('cache-control')).toBe('no-store')
})

test('a note stays in the inbox: nothing on the API changes, not even when it was updated', async () => {
  const { id } = await makeTicket(acme)
  const before = await readTicket(acme, id)
  clock.advance(1_000)
  const noted = await addNote(ben, id, 'Careful.')
  expect(noted).toMatchObject({ kind: 'note', text: 'Careful.', agentName: 'Ben Okafor' })
  const after = await acme.call('GET', `/tickets/${id}`)
  expect(after.json).toEqual({ ...before })
  expect(after.text).not.toContain('Careful')
})

test('spam is marked in the inbox, and the API shows that and nothing else changed', async () => {
  const { id } = await makeTicket(acme)
  const before = await readTicket(acme, id)
  clock.advance(1_000)
  const marked = await ben.call('PATCH', `/console/tickets/${id}`, { body: { isSpam: true } })
  expect(marked.json).toMatchObject({ isSpam: true, status: 'open' })
  const updatedAt = new Date(clock.now()).toISOString()
  expect(await readTicket(acme, id)).toEqual({ ...before, spam: true, updatedAt })
  expect((await readThread(ben, id)).timeline.at(-1)).toMatchObject({
    changes: [{ field: 'spam', from: false, to: true }],
  })
})

test('each agent has their own drafts of a ticket, on every device; a blank one is deleted', async () => {
  const { id } = await makeTicket(acme)
  const keep = (agent: SignedInAgent, kind: string, text: string) =>
    agent.call('PUT', `/console/tickets/${id}/draft`, { body: { kind, text } })
  await keep(ben, 'reply', 'Dear Ana')
  clock.advance(1)
  expect((await keep(ben, 'reply', 'Dear Ana, it is')).json).toEqual({
    savedAt: new Date(clock.now()).toISOString(),
  })
  await keep(ana, 'note', 'I think')
  const savedAt = new Date(clock.now()).toISOString()
  expect((await readThread(ben, id)).drafts).toEqual([{ kind: 'reply', text: 'Dear Ana, it is', savedAt }])
  expect((await readThread(ana, id)).drafts).toEqual([{ kind: 'note', text: 'I think', savedAt }])
  await keep(ben, 'reply', ' \n ')
  expect((await readThread(ben, id)).drafts).toEqual([])
  problemOf(await keep(ben, 'reply', 'x'.repeat(65_537)), 400, 'invalid_request')
})

test("a newer draft from another device isn't overwritten", async () => {
  const { id } = await makeTicket(acme)
  const keep = (text: string, base?: string | null) =>
    ben.call<{ savedAt: string }>('PUT', `/console/tickets/${id}/draft`, {
      body: { kind: 'reply', text, ...(base === undefined ? {} : { base }) },
    })
  const { savedAt: one } = (await keep('ONE', null)).json
  problemOf(await keep('Another', null), 409, 'draft_changed')
  const { savedAt: two } = (await keep('ONE and TWO', one)).json
  expect(two > one).toBe(true)
  problemOf(await keep('ONE again', one), 409, 'draft_changed')
  problemOf(await keep('', one), 409, 'draft_changed')
  expect((await readThread(ben, id)).drafts).toMatchObject([{ text: 'ONE and TWO', savedAt: two }])
  // Nothing is lost if the new text contains the saved one, for example because a response was lost.
  expect((await keep('ONE and TWO, and on', one)).status).toBe(200)
  const { savedAt: three } = (await keep('Begun anew')).json
  expect((await keep('', three)).status).toBe(200)
  expect((await readThread(ben, id)).drafts).toEqual([])
  expect((await keep('After it was sent', three)).status).toBe(200)
  problemOf(await keep('x', 'yesterday'), 400, 'invalid_request')
})

test('drafts of a note and a reply are separate: saving or deleting one leaves the other', async () => {
  const { id } = await makeTicket(acme)
  const keep = (kind: string, text: string) =>
    ben.call('PUT', `/console/tickets/${id}/draft`, { body: { kind, text } })
  await keep('note', 'She is difficult.')
  await keep('reply', 'Dear Ana')
  await keep('note', 'She is very difficult.')
  expect((await readThread(ben, id)).drafts).toMatchObject([
    { kind: 'note', text: 'She is very difficult.' },
    { kind: 'reply', text: 'Dear Ana' },
  ])
  await keep('reply', '')
  expect((await readThread(ben, id)).drafts).toMatchObject([{ text: 'She is very difficult.' }])
})

test('writing a note ends its draft, and leaves the draft of a reply', async () => {
  const { id } = await makeTicket(acme)
  const draft = (kind: string) =>
    ben.call('PUT', `/console/tickets/${id}/draft`, { body: { kind, text: 'Done ' } })
  await draft('note')
  await draft('reply')
  await addNote(ben, id, 'Done')
  expect((await readThread(ben, id)).drafts).toMatchObject([{ kind: 'reply' }])
})

test('how far an agent has read only ever moves on, until they mark the ticket unread', async () => {
  const { id } = await makeTicket(acme)
  clock.advance(1)
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'Attached.' } })
  const [first, second] = (await readThread(ben, id)).timeline
  const mark = (messageId: string | undefined) =>
    ben.call('PUT', `/console/tickets/${id}/read`, { body: { messageId } })
  expect((await readThread(ben, id)).readUpTo).toBeNull()
  expect((await mark(second?.id)).status).toBe(204)
  await mark(first?.id)
  expect((await readThread(ben, id)).readUpTo).toBe(second?.id ?? '')
  expect((await readThread(ana, id)).readUpTo).toBeNull()
  expect((await ben.call('DELETE', `/console/tickets/${id}/read`)).status).toBe(204)
  expect((await readThread(ben, id)).readUpTo).toBeNull()
  const other = await makeTicket(acme, { customer: { email: 'other@example.com' } })
  const foreign = (await readThread(ben, other.id)).timeline[0]?.id
  problemOf(await mark(foreign), 404, 'not_found')
})

test("the threads of a disabled agent's tickets say that they were unassigned", async () => {
  const admin = await signInAgent(bellhop, acme.orgId, { role: 'admin', name: 'Root' })
  const leaving = await signInAgent(bellhop, acme.orgId, { name: 'Leaving' })
  const { id } = await makeTicket(acme)
  await changeTicket(acme, id, { assignedTo: leaving.id })
  await admin.call('POST', `/console/agents/${leaving.id}/disable`)
  expect((await readThread(ben, id)).timeline.at(-1)).toMatchObject({
    actor: { kind: 'agent', name: 'Root' },
    changes: [{ field: 'assignedTo', from: leaving.id, to: '' }],
  })
})
