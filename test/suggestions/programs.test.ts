import { afterAll, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { disableAgent } from '../../server/agents/disable-agent.ts'
import { listApiKeys, revokeApiKey } from '../../server/api-keys/api-keys.ts'
import { events } from '../../server/database/tables/events.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { pruneSuggestions } from '../../server/suggestions/prune-suggestions.ts'
import { signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock, letRun } from '../support/clock.ts'
import { mergeTickets, undoMove } from '../support/moves.ts'
import { storedRows } from '../support/stored-rows.ts'
import {
  askToSuggest,
  dismissSuggestion,
  openSuggestions,
  openSuggestionsOf,
  programOf,
  SUGGESTING,
  type SuggestionJson,
  suggest,
  suggestionsOf,
  useSuggestion,
} from '../support/suggestions.ts'
import { makeAndReadTicket, makeTicket, NO_TICKET, problemOf, readTicket } from '../support/tickets.ts'
import { storedPath, upload } from '../support/uploads.ts'
import { openWidget } from '../support/visitors.ts'

// What a program can do with suggestions, and what never happens by one.

const DAY_MS = 86_400_000
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())
const { deps } = bellhop

interface EventJson {
  position: string
  event: string
  ticketId: string
  messageId?: string
  suggestionId?: string
  by: { kind: string; id?: string }
  body?: string
}
interface EventsJson {
  data: EventJson[]
  meta: { after: string }
}

async function eventsOf(client: Client, query = ''): Promise<EventsJson> {
  return (await client.call<EventsJson>('GET', `/events?limit=1000&${query}`)).json
}

async function write(client: Client, ticketId: string, text = 'Never mind.'): Promise<string> {
  const body = { text, role: 'customer' }
  return (await client.call<{ id: string }>('POST', `/tickets/${ticketId}/messages`, { body })).json.id
}

test('a program that can only suggest never sends anything, whatever agents do with it', async () => {
  const { client, ben, bot, id } = await openSuggestions(bellhop)
  problemOf(await bot.call('POST', `/tickets/${id}/messages`, { body: { text: 'x' } }), 403, 'missing_scope')
  const before = await readTicket(client, id)
  for (const decide of [dismissSuggestion, useSuggestion]) {
    await decide(ben, await suggest(bot, id, { text: 'Buy now' }))
    clock.advance(DAY_MS)
  }
  expect(await readTicket(client, id)).toEqual(before)
  const types = (await eventsOf(client)).data.map(({ event }) => event)
  expect(types.filter((type) => type === 'message.sent')).toHaveLength(1)
})

test('an answer to an old message is refused, and so is one to a ticket that was answered', async () => {
  const { client, bot, id, question } = await openSuggestions(bellhop)
  const later = await write(client, id)
  problemOf(await askToSuggest(bot, id, { text: 'x', answers: question }), 409, 'answered_since')
  await suggest(bot, id, { text: 'x', answers: later })
  await client.call('POST', `/tickets/${id}/messages`, { body: { text: 'By a colleague' } })
  expect(await suggestionsOf(bot, id)).toMatchObject([{ state: 'superseded' }])
  problemOf(await askToSuggest(bot, id, { text: 'x', answers: later }), 409, 'answered_since')
  await suggest(bot, id, { text: 'x', answers: await write(client, id) })
})

test('only messages of the ticket’s customer can be answered', async () => {
  const { client, bot, id } = await openSuggestions(bellhop)
  const other = await makeAndReadTicket(client)
  const sent = await client.call<{ id: string }>('POST', `/tickets/${id}/messages`, { body: { text: 'x' } })
  problemOf(await askToSuggest(bot, id, { text: 'x', answers: sent.json.id }), 409, 'answered_since')
  await write(client, id)
  for (const answers of [other.messages[0]?.id, sent.json.id, 'msg_1', '']) {
    const problem = problemOf(await askToSuggest(bot, id, { text: 'x', answers }), 400, 'invalid_request')
    expect(problem.errors).toMatchObject([{ pointer: '/answers', code: 'unknown_message' }])
  }
})

test('what can’t be shown is refused by name', async () => {
  const { bot, id } = await openSuggestions(bellhop)
  const source = { title: 'Help', url: 'https://help.example.com' }
  for (const [body, pointer] of [
    [{ text: ' ' }, '/text'],
    [{ text: 'x', sources: Array.from({ length: 11 }, () => source) }, '/sources'],
    [{ text: 'x', sources: [source, { ...source, url: 'javascript:alert(1)' }] }, '/sources/1/url'],
    [{ text: 'x', sources: [{ ...source, url: 'help' }] }, '/sources/0/url'],
    [{ text: 'x', sources: [{ ...source, title: 'x'.repeat(201) }] }, '/sources/0/title'],
    [{ text: 'x', to: 'ana@example.com' }, '/to'],
  ] as const) {
    const answer = await askToSuggest(bot, id, body as { text: string })
    expect(problemOf(answer, 400, 'invalid_request').errors).toMatchObject([{ pointer }])
  }
  for (const confidence of [1.1, 1e9, -1]) {
    const answer = await askToSuggest(bot, id, { text: 'x', confidence })
    const detail = 'Must be from 0 to 1.'
    const errors = [{ pointer: '/confidence', code: 'not_allowed', detail }]
    expect(problemOf(answer, 400, 'invalid_request').errors).toEqual(errors)
  }
  const answer = await askToSuggest(bot, id, { text: 'x', confidence: 'high' })
  const errors = [{ pointer: '/confidence', code: 'wrong_type', detail: 'Must be a number or null.' }]
  expect(problemOf(answer, 400, 'invalid_request').errors).toEqual(errors)
  expect(await suggestionsOf(bot, id)).toEqual([])
})

test('a program has one open suggestion for a ticket, with all of its keys', async () => {
  const { client, ben, bot, id } = await openSuggestions(bellhop)
  const first = await suggest(bot, id, { text: 'First' })
  const otherKey = await client.withKey({ program: first.by.id, scopes: [...SUGGESTING] })
  const second = await suggest(otherKey, id, { text: 'Second' })
  const key = await client.withKey({ name: 'A key', scopes: [...SUGGESTING] })
  const third = await suggest(key, id, { text: 'Third' })
  expect(third.by).toEqual({ kind: 'key', id: expect.stringMatching(/^key_/), name: 'A key' })
  expect((await openSuggestionsOf(ben, id)).map(({ text }) => text)).toEqual(['Third', 'Second'])
  const all = await suggestionsOf(bot, id)
  expect(all.map(({ id, state }) => [id, state])).toEqual([
    [third.id, 'open'],
    [second.id, 'open'],
    [first.id, 'superseded'],
  ])
})

test('the list is read in pages, newest first', async () => {
  const { bot, id } = await openSuggestions(bellhop)
  for (const text of ['1', '2', '3', '4', '5']) await suggest(bot, id, { text })
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const { json, headers } = await bot.call<{ data: SuggestionJson[]; meta: { nextCursor?: string } }>(
      'GET',
      `/tickets/${id}/suggestions?per_page=2&cursor=${cursor}`,
    )
    seen.push(json.data.map(({ text }) => text).join(''))
    expect(headers.has('link')).toBe(json.meta.nextCursor !== undefined)
    if (json.meta.nextCursor === undefined) break
    cursor = json.meta.nextCursor
  }
  expect(seen).toEqual(['54', '32', '1'])
})

test('the same Idempotency-Key suggests once', async () => {
  const { bot, id, question } = await openSuggestions(bellhop)
  const send = (text: string) =>
    bot.call<SuggestionJson>('POST', `/tickets/${id}/suggestions`, {
      body: { text, answers: question },
      headers: { 'idempotency-key': 'once' },
    })
  const [first, again] = [await send('Yes'), await send('Yes')]
  expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true'])
  expect(await suggestionsOf(bot, id)).toHaveLength(1)
  problemOf(await send('No'), 422, 'idempotency_mismatch')
})

test('a program withdraws what it suggests itself, and nothing else', async () => {
  const { client, ben, bot, id } = await openSuggestions(bellhop)
  const other = await programOf(bellhop, client, 'Second bot')
  const made = await suggest(bot, id, { text: 'Yes' })
  const withdraw = (by: Client, suggestion = made.id, ticket = id) =>
    by.call('DELETE', `/tickets/${ticket}/suggestions/${suggestion}`)
  for (const by of [other, client]) problemOf(await withdraw(by), 404, 'not_found')
  problemOf(await withdraw(bot, made.id, (await makeTicket(client)).id), 404, 'not_found')
  problemOf(await withdraw(bot, made.id, NO_TICKET), 404, 'not_found')
  expect((await withdraw(bot)).status).toBe(204)
  expect((await withdraw(bot)).status).toBe(204)
  expect(await suggestionsOf(bot, id)).toMatchObject([{ id: made.id, state: 'withdrawn' }])
  expect(await openSuggestionsOf(ben, id)).toEqual([])
  const next = await suggest(bot, id, { text: 'Yes' })
  await dismissSuggestion(ben, next)
  problemOf(await withdraw(bot, next.id), 409, 'suggestion_closed')
})

test('events say what was suggested and what became of it, and the log has no text', async () => {
  const { client, ben, bot, id } = await openSuggestions(bellhop)
  const { meta } = await eventsOf(client)
  const first = await suggest(bot, id, { text: 'A quokka' })
  const second = await suggest(bot, id, { text: 'A zebrafish' })
  await dismissSuggestion(ben, second, { reason: 'No animals' })
  const third = await suggest(bot, id, { text: 'A walrus' })
  await write(client, id)
  const { data } = await eventsOf(client, `after=${meta.after}&include=body`)
  const bodyOf = ({ body }: EventJson) => JSON.parse(body ?? '').data
  const named = data.filter(({ event }) => event.startsWith('suggestion.'))
  expect(
    named.map(({ event, suggestionId, messageId, by }) => [event, suggestionId, messageId, by.kind]),
  ).toEqual([
    ['suggestion.added', first.id, undefined, 'program'],
    ['suggestion.closed', first.id, undefined, 'program'],
    ['suggestion.added', second.id, undefined, 'program'],
    ['suggestion.closed', second.id, undefined, 'agent'],
    ['suggestion.added', third.id, undefined, 'program'],
    ['suggestion.closed', third.id, undefined, 'customer'],
  ])
  expect(data.at(-2)).toMatchObject({ event: 'message.sent' })
  expect(named.map((event) => bodyOf(event).suggestion.state)).toEqual([
    'superseded',
    'superseded',
    'rejected',
    'rejected',
    'superseded',
    'superseded',
  ])
  expect(named[3] && bodyOf(named[3])).toMatchObject({
    ticket: { id },
    suggestion: { id: second.id, text: 'A zebrafish', state: 'rejected', reason: 'No animals' },
    by: { kind: 'agent', id: ben.id, name: 'Ben' },
  })
  const rows = await deps.database.read.select().from(events).where(eq(events.ticketId, id))
  expect(JSON.stringify(rows)).not.toMatch(/quokka|zebrafish|animals/)
})

test('a program that suggests on every event but its own comes to rest', async () => {
  const { client, bot, id } = await openSuggestions(bellhop)
  const { json } = await bot.call<{ key: { agent: { id: string } } }>('GET', '/me')
  await write(client, id)
  let [after, asked] = ['0', 0]
  for (let before = -1; before < asked; ) {
    before = asked
    const { data, meta } = await eventsOf(bot, `after=${after}`)
    after = meta.after
    for (const { ticketId, by } of data) {
      if (by.id === json.key.agent.id) continue
      asked += 1
      await suggest(bot, ticketId, { text: `Answer ${asked}` })
    }
    expect(asked).toBeLessThan(20)
  }
  const all = await suggestionsOf(client, id)
  expect(all).toHaveLength(asked)
  expect(all.filter(({ state }) => state === 'open')).toHaveLength(1)
})

test('a program that suggests on each event, also of its own suggestions, is stopped after twenty', async () => {
  const { client, bot, id } = await openSuggestions(bellhop)
  let [after, refused, events] = ['0', 0, 1]
  while (events > 0) {
    const { data, meta } = await eventsOf(bot, `after=${after}`)
    after = meta.after
    events = data.length
    for (const { ticketId } of data) {
      const answer = await askToSuggest(bot, ticketId, { text: 'Again' })
      if (answer.status === 201) continue
      expect(answer).toMatchObject({ status: 409, json: { code: 'too_many_suggestions' } })
      refused += 1
    }
  }
  expect(refused).toBeGreaterThan(0)
  expect(await suggestionsOf(client, id)).toHaveLength(20)
  await write(client, id)
  await suggest(bot, id, { text: 'To the next message' })
})

test('a merge and a split close what is suggested, and undoing them opens nothing again', async () => {
  const { client, ben, bot, id, question } = await openSuggestions(bellhop)
  const other = await makeTicket(client)
  await suggest(bot, id, { text: 'Yes' })
  await suggest(bot, other.id, { text: 'No' })
  const merge = await mergeTickets(client, id, other.id)
  expect(merge.status, merge.text).toBe(200)
  for (const ticket of [id, other.id]) {
    expect(await suggestionsOf(bot, ticket)).toMatchObject([{ state: 'superseded' }])
  }
  problemOf(
    await bot.call('POST', `/tickets/${other.id}/suggestions`, { body: { text: 'x', answers: question } }),
    409,
    'ticket_merged',
  )
  await suggest(bot, id, { text: 'Both' })
  expect((await undoMove(client, merge.json.id)).status).toBe(200)
  expect((await suggestionsOf(bot, id)).map(({ state }) => state)).toEqual(['superseded', 'superseded'])
  expect(await openSuggestionsOf(ben, id)).toEqual([])
  expect(await openSuggestionsOf(ben, other.id)).toEqual([])
  await suggest(bot, id, { text: 'Again', answers: await write(client, id) })
  const body = { messages: [question], subject: 'Another question' }
  const split = await client.call<{ into: string }>('POST', `/tickets/${id}/split`, { body })
  expect(split.status, split.text).toBe(201)
  expect((await suggestionsOf(bot, id)).every(({ state }) => state === 'superseded')).toBe(true)
  expect(await suggestionsOf(bot, split.json.into)).toEqual([])
  expect(await openSuggestionsOf(ben, split.json.into)).toEqual([])
})

test('what a disabled program or a revoked key suggested can still be used', async () => {
  const { client, ben, bot, id } = await openSuggestions(bellhop)
  const key = await client.withKey({ name: 'A key', scopes: [...SUGGESTING] })
  const [one, two] = [await suggest(bot, id, { text: 'One' }), await suggest(key, id, { text: 'Two' })]
  await disableAgent(deps, client.orgId, one.by.id)
  const keys = await listApiKeys(deps, client.orgId)
  await revokeApiKey(deps, client.orgId, keys.find(({ name }) => name === 'A key')?.id ?? '')
  expect((await openSuggestionsOf(ben, id)).map(({ by }) => by.name)).toEqual(['A key', 'Answer bot'])
  for (const made of [one, two]) expect((await useSuggestion(ben, made)).text).toBe(made.text)
  problemOf(await bot.call('GET', `/tickets/${id}/suggestions`), 403, 'program_disabled')
})

test('an answer can be suggested where none can leave', async () => {
  const { client, ben, bot, id } = await openSuggestions(bellhop)
  await deps.database.write(undefined, async (tx) => {
    await tx.update(tickets).set({ channel: 'email' }).where(eq(tickets.id, id))
  })
  const thread = await ben.call<{ reply: { problem?: object } }>('GET', `/console/tickets/${id}`)
  expect(thread.json.reply.problem).toBeDefined()
  await suggest(bot, id, { text: 'Yes' })
  expect(await openSuggestionsOf(ben, id)).toHaveLength(1)
  expect(client.orgId).toBe(ben.orgId)
})

test('no visitor learns of a suggestion', async () => {
  const acme = await bellhop.organization()
  const ben = await signInAgent(bellhop, acme.orgId)
  const bot = await programOf(bellhop, acme, 'Answer bot')
  const page = await (await openWidget(bellhop, acme.orgId)).visit()
  const { conversation } = await page.say('Where is my order?')
  const before = await page.messages(conversation.id)
  using _running = letRun(clock)
  await using stream = await page.stream()
  await stream.next('hello')
  const file = await upload(bot, 'label.txt', 'A secret label')
  const made = await suggest(bot, conversation.id, { text: 'A secret', attachments: [file.id] })
  await useSuggestion(ben, made)
  await dismissSuggestion(ben, made, { reason: 'A secret reason' })
  await suggest(bot, conversation.id, { text: 'Another secret' })
  const after = await page.messages(conversation.id)
  expect({ ...after, event: 0 }).toEqual({ ...before, event: 0 })
  expect((await page.call('GET', `/attachments/${file.id}`)).status).toBeGreaterThanOrEqual(400)
  await ben.call('POST', `/v1/tickets/${conversation.id}/messages`, { body: { text: 'On its way.' } })
  const textOf = ({ message }: (typeof stream.seen)[number]['data']) => Object(message).text
  await stream.next('message', (data) => textOf(data) === 'On its way.')
  const seen = stream.seen.map(({ event, data }) => [event, textOf(data)])
  // Their own words may come back.
  expect(seen.filter(([, text]) => text !== 'Where is my order?')).toEqual([
    ['hello', undefined],
    ['message', 'On its way.'],
  ])
  expect(JSON.stringify(stream.seen)).not.toContain('secret')
})

test('what is closed is deleted after 90 days with its files, and what is open stays', async () => {
  const { ben, bot, id } = await openSuggestions(bellhop)
  const file = await upload(bot, 'old.txt', 'An old label')
  const old = await suggest(bot, id, { text: 'Old', attachments: [file.id] })
  await dismissSuggestion(ben, old)
  const open = await suggest(bot, id, { text: 'Open' })
  clock.advance(89 * DAY_MS)
  await pruneSuggestions(deps)
  expect(await suggestionsOf(bot, id)).toHaveLength(2)
  clock.advance(2 * DAY_MS)
  await pruneSuggestions(deps)
  expect(await suggestionsOf(bot, id)).toMatchObject([{ id: open.id, state: 'open' }])
  expect(await Bun.file(storedPath(deps, 'An old label')).exists()).toBe(false)
})

test('erasing a ticket leaves no word of what was suggested, also where its messages were before', async () => {
  const { client, ben, bot, id } = await openSuggestions(bellhop)
  const root = await signInAgent(bellhop, client.orgId, { role: 'admin' })
  const WORDS = /axolotl/i
  const found = async () =>
    Object.entries(await storedRows(deps)).flatMap(([table, rows]) =>
      rows.some((row) => WORDS.test(row)) ? [table] : [],
    )
  const later = await write(client, id, 'And the other one?')
  const file = await upload(bot, 'axolotl.txt', 'An axolotl')
  await suggest(bot, id, { text: 'An axolotl', attachments: [file.id] })
  const body = { messages: [later], subject: 'The other one' }
  const split = await client.call<{ into: string }>('POST', `/tickets/${id}/split`, { body })
  const next = await suggest(bot, split.json.into, { text: 'Axolotls' })
  await dismissSuggestion(ben, next, { reason: 'No axolotls' })
  expect((await found()).sort()).toEqual(['attachments', 'suggestions'])
  expect((await root.call('DELETE', `/console/tickets/${split.json.into}`)).status).toBe(204)
  expect(await found()).toEqual([])
  expect(await Bun.file(storedPath(deps, 'An axolotl')).exists()).toBe(false)
  const other = await makeTicket(client)
  const merge = await mergeTickets(client, id, other.id)
  expect(merge.status, merge.text).toBe(200)
  await suggest(bot, id, { text: 'An axolotl' })
  expect(await found()).toEqual(['suggestions'])
  expect((await root.call('DELETE', `/console/tickets/${other.id}`)).status).toBe(204)
  expect(await found()).toEqual([])
  expect(await openSuggestionsOf(ben, id)).toEqual([])
})
