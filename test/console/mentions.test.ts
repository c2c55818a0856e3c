import { afterAll, expect, test } from 'bun:test'
import { mentionMark } from '../../server/formatting/inline.ts'
import { createId } from '../../server/ids.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { makeTicket, problemOf } from '../support/tickets.ts'

const MINUTE_MS = 60_000
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const admin = await signInAgent(bellhop, acme.orgId, { role: 'admin', name: 'Ada Stone' })
const ben = await signInAgent(bellhop, acme.orgId)
const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Lima' })

interface Thread {
  followers: string[]
  mentions: { noteId: string; isSeen: boolean }[]
}
interface Row {
  id: string
  mention?: { noteId: string; text: string; agentName: string; isSeen: boolean }
}

const of = ({ id, name }: SignedInAgent) => mentionMark({ of: 'agent', id, name })

async function note(author: SignedInAgent, ticketId: string, text: string, format = 'markdown') {
  clock.advance(MINUTE_MS)
  const id = createId('not', clock.now())
  const answer = await author.call('PUT', `/console/tickets/${ticketId}/notes/${id}`, {
    body: { text, format },
  })
  return { id, answer }
}

async function thread(agent: SignedInAgent, ticketId: string): Promise<Thread> {
  return (await agent.call<Thread>('GET', `/console/tickets/${ticketId}`)).json
}

async function rows(agent: SignedInAgent, q = 'is:mentioned'): Promise<Row[]> {
  const path = `/console/tickets?sort=mention_desc&q=${encodeURIComponent(q)}`
  return (await agent.call<{ data: Row[] }>('GET', path)).json.data
}

async function unseen(agent: SignedInAgent): Promise<number | undefined> {
  const { json } = await agent.call<{ views: Record<string, number> }>('GET', '/console/counts')
  return json.views.mentions
}

const follow = (agent: SignedInAgent, ticketId: string, method = 'PUT') =>
  agent.call(method, `/console/tickets/${ticketId}/follower`)

test('a colleague who is mentioned finds the ticket in Mentions until they have seen it, and after', async () => {
  const [{ id: first }, { id: second }] = [await makeTicket(acme), await makeTicket(acme)]
  const { id: noteId } = await note(ben, second, `Could you ask, ${of(ana)}? ${of(ana)}!`)
  await note(ben, first, `**${of(ana)}**, the carrier?`)
  expect(await rows(ana)).toMatchObject([
    { id: first, mention: { text: '@Ana Lima, the carrier?', agentName: 'Ben Okafor', isSeen: false } },
    { id: second, mention: { noteId, text: 'Could you ask, @Ana Lima? @Ana Lima!' } },
  ])
  expect([await unseen(ana), await unseen(ben)]).toEqual([2, 0])
  expect(await rows(ben)).toEqual([])
  expect((await thread(ana, second)).mentions).toEqual([{ noteId, isSeen: false }])
  expect((await ana.call('PUT', `/console/tickets/${second}/mentions/seen`)).status).toBe(204)
  expect((await thread(ana, second)).mentions).toEqual([{ noteId, isSeen: true }])
  expect(await unseen(ana)).toBe(1)
  await note(ben, second, `And now, ${of(ana)}?`)
  expect((await rows(ana)).map(({ id, mention }) => [id, mention?.isSeen])).toEqual([
    [second, false],
    [first, false],
  ])
  expect(await rows(ana, '-is:mentioned')).toEqual([])
})

test('a list of mentions continues on its next page where it stopped', async () => {
  const cleo = await signInAgent(bellhop, acme.orgId, { name: 'Cleo Park' })
  const ids: string[] = []
  for (let made = 0; made < 5; made += 1) ids.push((await makeTicket(acme)).id)
  for (const id of ids) await note(ben, id, of(cleo))
  const found: string[] = []
  for (let cursor = ''; found.length < ids.length; ) {
    const { json } = await cleo.call<{ data: Row[]; nextCursor: string }>(
      'GET',
      `/console/tickets?q=is:mentioned&sort=mention_desc&limit=2${cursor && `&cursor=${cursor}`}`,
    )
    found.push(...json.data.map(({ id }) => id))
    cursor = json.nextCursor
  }
  expect(found).toEqual(ids.toReversed())
})

test('who writes a note or is mentioned follows the ticket, and who stops following stays out', async () => {
  const { id } = await makeTicket(acme)
  expect((await thread(ben, id)).followers).toEqual([])
  await note(ben, id, `${of(ana)}, please look.`)
  expect((await thread(ben, id)).followers.toSorted()).toEqual([ben.id, ana.id].toSorted())
  expect((await rows(ana, 'is:followed')).map((row) => row.id)).toContain(id)
  expect((await follow(ana, id, 'DELETE')).status).toBe(204)
  await note(ben, id, `${of(ana)}, again.`)
  await note(ana, id, 'Not my topic.')
  expect((await thread(ben, id)).followers).toEqual([ben.id])
  expect((await rows(ana, 'is:followed')).map((row) => row.id)).not.toContain(id)
  await follow(ana, id)
  await follow(ana, id)
  expect((await thread(ben, id)).followers.toSorted()).toEqual([ben.id, ana.id].toSorted())
  problemOf(await follow(ana, 'tkt_none'), 404, 'not_found')
})

test('someone who cannot see the ticket is refused by name, and the note is not kept', async () => {
  const { id } = await makeTicket(acme)
  const gone = await signInAgent(bellhop, acme.orgId, { name: 'Gus Gone' })
  await admin.call('POST', `/console/agents/${gone.id}/disable`)
  const other = await bellhop.organization()
  const eve = await signInAgent(bellhop, other.orgId, { name: 'Eve Far' })
  const { answer } = await note(ben, id, `${of(gone)} ${of(eve)} ${of(ana)}`)
  const { errors } = problemOf(answer, 400, 'invalid_request')
  expect(errors).toMatchObject([
    {
      pointer: '/text',
      code: 'cannot_see_ticket',
      detail: "Gus Gone can't see this ticket. Remove the mention.",
    },
    { pointer: '/text', detail: "Eve Far can't see this ticket. Remove the mention." },
  ])
  const { mentions, followers } = await thread(ana, id)
  expect([mentions, followers]).toEqual([[], []])
})

test('a note mentions at most 20 people, and only where its text is formatted', async () => {
  const { id } = await makeTicket(acme)
  const many = Array.from({ length: 21 }, () => `[@Someone](agent:${createId('agt', clock.now())})`)
  const { errors } = problemOf((await note(ben, id, many.join(' '))).answer, 400, 'invalid_request')
  expect(errors).toMatchObject([{ pointer: '/text', code: 'too_many' }])
  await note(ben, id, of(ana), 'plain')
  await note(ben, id, `\`${of(ana)}\` and @Ana Lima`)
  expect((await thread(ana, id)).mentions).toEqual([])
})

test('a deleted ticket leaves no mention behind', async () => {
  const { id } = await makeTicket(acme)
  const before = await unseen(ana)
  await note(ben, id, of(ana))
  expect(await unseen(ana)).toBe((before ?? 0) + 1)
  expect((await admin.call('DELETE', `/console/tickets/${id}`)).status).toBe(204)
  expect(await unseen(ana)).toBe(before)
})
