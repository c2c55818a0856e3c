import { expect, test } from 'bun:test'
import { createProgram } from '../../server/agents/programs.ts'
import { createApiKey } from '../../server/api-keys/api-keys.ts'
import { readConfig } from '../../server/config.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { call } from '../support/bellhop.ts'
import { freshPlace } from '../support/engine.ts'
import { makeManyTickets } from '../support/many-tickets.ts'
import { startProgram } from '../support/program.ts'
import type { SuggestionJson } from '../support/suggestions.ts'
import type { TicketJson } from '../support/tickets.ts'

const TICKETS = 6
const KILLS = 6
const MAX_LIFE_MS = 800

interface Page<Row> {
  data: Row[]
  meta: { after: string; newest: string }
}

interface Event {
  event: string
  suggestionId: string
}

test('suggestions that a killed server accepted are there, each with its events, and their tickets know', async () => {
  const place = await freshPlace()
  const deps = await openDeps(readConfig(place), { log: createLog('error', false, () => {}, Date.now) })
  const { id: orgId } = await createOrganization(deps, { name: 'Acme' })
  const key = { kind: 'secret', rateLimit: 100_000 } as const
  const { secret } = await createApiKey(deps, orgId, { ...key, name: 'Website' })
  const bots = await Promise.all(
    ['First', 'Second'].map(async (name) => {
      const { id: program } = await createProgram(deps, orgId, { name })
      return (await createApiKey(deps, orgId, { ...key, name, program })).secret
    }),
  )
  const ids = await makeManyTickets(deps, orgId, TICKETS)
  await deps.database.close()

  let server = await startProgram(place)
  const ask = <Json>(by: string, method: string, path: string, body?: object) =>
    call<Json>(method, `${server.url}/v1${path}`, {
      headers: { authorization: `Bearer ${by}` },
      ...(body && { body }),
    })
  const accepted = new Set<string>()
  const sent: string[] = []
  let isOver = false

  /** Goes on where a kill interrupted it. */
  async function write(id: string): Promise<void> {
    for (let round = 0; !isOver; round += 1) {
      await turn(id, round).catch(() => Bun.sleep(10))
    }
  }

  async function turn(id: string, round: number): Promise<void> {
    const { messages } = (await ask<TicketJson>(secret, 'GET', `/tickets/${id}`)).json
    const answers = messages.findLast(({ role }) => role === 'customer')?.id
    for (const bot of bots) {
      const body = { answers, text: `Answer ${round}` }
      const made = await ask<SuggestionJson>(bot, 'POST', `/tickets/${id}/suggestions`, body)
      if (made.status === 201) accepted.add(made.json.id)
    }
    const text = `Message ${round}`
    if (round % 3 === 1) sent.push(text)
    const role = round % 3 === 1 ? 'agent' : 'customer'
    if (round % 3 > 0) await ask(secret, 'POST', `/tickets/${id}/messages`, { text, role })
  }

  const writers = ids.map(write)
  for (let kill = 0; kill < KILLS; kill += 1) {
    await Bun.sleep(400 + Math.random() * MAX_LIFE_MS)
    await server.end('SIGKILL')
    server = await startProgram(place)
  }
  isOver = true
  await Promise.all(writers)

  const all = (await Promise.all(ids.map((id) => allOf(id)))).flat()
  expect([...accepted].filter((id) => !all.some((one) => one.id === id))).toEqual([])
  expect(accepted.size).toBeGreaterThan(KILLS)
  const events = await eventsOf()
  const named = (event: string) =>
    events.flatMap((one) => (one.event === event ? [one.suggestionId] : [])).sort()
  const closed = all.filter(({ state }) => state !== 'open')
  expect(named('suggestion.added')).toEqual(all.map(({ id }) => id).sort())
  expect(named('suggestion.closed')).toEqual(closed.map(({ id }) => id).sort())
  expect(new Set(closed.map(({ state }) => state))).toEqual(new Set(['superseded']))

  const open = new Set(all.flatMap(({ state, ticketId }) => (state === 'open' ? [ticketId] : [])))
  const found = await ask<Page<{ id: string }>>(secret, 'GET', '/search?q=is:suggested')
  expect(found.json.data.map(({ id }) => id).sort()).toEqual([...open].sort())
  for (const id of ids) {
    const { messages } = (await ask<TicketJson>(secret, 'GET', `/tickets/${id}`)).json
    for (const { role, text } of messages) if (role === 'agent') expect(sent).toContain(text)
    for (const one of all) {
      if (one.ticketId === id && one.state === 'open') expect(messages.at(-1)?.id).toBe(one.answers)
    }
  }
  await server.end('SIGTERM')

  async function allOf(id: string): Promise<SuggestionJson[]> {
    const rows: SuggestionJson[] = []
    for (let cursor = ''; ; ) {
      const path = `/tickets/${id}/suggestions?per_page=100&cursor=${cursor}`
      const { json } = await ask<{ data: SuggestionJson[]; meta: { nextCursor?: string } }>(
        secret,
        'GET',
        path,
      )
      rows.push(...json.data)
      if (json.meta.nextCursor === undefined) return rows
      cursor = json.meta.nextCursor
    }
  }

  async function eventsOf(): Promise<Event[]> {
    const rows: Event[] = []
    for (let after = '0'; ; ) {
      const path = `/events?limit=1000&types=suggestion.added,suggestion.closed&after=${after}`
      const { data, meta } = (await ask<Page<Event>>(secret, 'GET', path)).json
      rows.push(...data)
      if (meta.after === meta.newest) return rows
      after = meta.after
    }
  }
}, 120_000)
