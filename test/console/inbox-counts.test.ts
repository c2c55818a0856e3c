import { afterAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { messages } from '../../server/database/tables/messages.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { seeded } from '../support/random.ts'
import { indexed } from '../support/search.ts'
import { askToSuggest } from '../support/suggestions.ts'
import { changeTicket, makeTicket } from '../support/tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId, { role: 'admin' })

interface Counts {
  views: Record<string, number>
  tags: { tag: string; count: number }[]
  saved: { id: string; count: number }[]
  askAgainMs?: number
}
const VIEWS = {
  mine: 'status:open assigned:me',
  unassigned: 'status:open assigned:none',
  open: 'status:open',
  pending: 'status:pending',
  resolved: 'status:resolved',
  failed: 'is:failed',
  held: 'is:held',
  snoozed: 'is:snoozed',
  suggested: 'is:suggested',
  spam: 'is:spam',
}
const TAGS = ['billing', 'Billing', 'a:b', 'two words', 'status:open,tag:x']
const SAVED = [
  'tag:billing',
  'is:spam tag:billing',
  '-tag:billing status:open',
  'is:unread',
  'invoice',
  'channel:api',
  'channel:email',
  '',
]

async function counts(): Promise<Counts> {
  const answer = await ben.call<Counts>('GET', '/console/counts')
  expect(answer.status, answer.text).toBe(200)
  if (answer.json.askAgainMs === undefined) return answer.json
  await Bun.sleep(answer.json.askAgainMs)
  return counts()
}

async function listed(q: string): Promise<number> {
  const path = `/console/tickets?limit=100&q=${encodeURIComponent(q)}`
  return (await ben.call<{ data: unknown[] }>('GET', path)).json.data.length
}

test('the counts in the rail match the lists after any changes', async () => {
  const random = seeded(11)
  const ids: string[] = []
  const views = new Map<string, string>()
  for (const query of SAVED) {
    const made = await ben.call<{ id: string }>('POST', '/console/views', {
      body: { name: `View ${query}`, query },
    })
    views.set(made.json.id, query)
  }
  for (let round = 0; round < 120; round += 1) {
    await changeSomething(ids, random)
    if (round % 40 !== 39) continue
    await indexed(bellhop)
    const { views: rail, tags, saved } = await counts()
    for (const [name, query] of Object.entries(VIEWS)) expect(rail[name], name).toBe(await listed(query))
    for (const tag of TAGS) {
      const count = tags.find((one) => one.tag === tag)?.count ?? 0
      expect(count, tag).toBe(await listed(`status:open tag:"${tag}"`))
    }
    expect(tags.map(({ tag }) => tag)).toEqual(tags.map(({ tag }) => tag).sort())
    expect(saved).toHaveLength(SAVED.length)
    for (const { id, count } of saved) expect(count, views.get(id)).toBe(await listed(views.get(id) ?? ''))
  }
})

async function changeSomething(ids: string[], random: (below: number) => number): Promise<void> {
  const id = ids[random(ids.length + 3)]
  const kind = random(14)
  const tags = TAGS.filter(() => random(3) === 0)
  if (id === undefined) ids.push((await makeTicket(acme, { tags })).id)
  else if (kind === 0) {
    ids.splice(ids.indexOf(id), 1)
    expect((await ben.call('DELETE', `/console/tickets/${id}`)).status).toBe(204)
  } else if (kind < 4) {
    await ben.call('PATCH', `/console/tickets/${id}`, { body: { isSpam: random(2) === 0 } })
  } else if (kind < 6) await failToSend(id)
  // Refused when it was answered.
  else if (kind < 8) await askToSuggest(acme, id, { text: 'It is on its way.' })
  else {
    const status = ['open', 'pending', 'resolved'][random(3)]
    await changeTicket(acme, id, { status, tags, assignedTo: random(2) === 0 ? ben.id : null })
  }
}

async function failToSend(ticketId: string): Promise<void> {
  const posted = await acme.call<{ id: string }>('POST', `/tickets/${ticketId}/messages`, {
    body: { text: 'Hi' },
  })
  await bellhop.deps.database.write(undefined, async (tx) => {
    await tx.update(messages).set({ sending: 'failed' }).where(eq(messages.id, posted.json.id))
  })
}
