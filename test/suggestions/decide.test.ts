import { afterAll, expect, test } from 'bun:test'
import { createId } from '../../server/ids.ts'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { indexed } from '../support/search.ts'
import {
  dismissSuggestion,
  openSuggestions,
  openSuggestionsOf,
  programOf,
  suggest,
  suggestionsOf,
  useSuggestion,
} from '../support/suggestions.ts'
import { replyPath, sendReply, untilSent } from '../support/threads.ts'
import { makeTicket, problemOf, readTicket } from '../support/tickets.ts'

const HOUR_MS = 3_600_000
const clock = createManualClock()
const bellhop = await startBellhop({ clock })
afterAll(() => bellhop.stop())

const TEXT = 'You can return it within 30 days. The label is in your account.'

test('an agent sees what a program suggests, and nothing is sent', async () => {
  const { client, ben, bot, id, question } = await openSuggestions(bellhop)
  const sources = [{ title: 'Returns', url: 'https://help.example.com/returns' }]
  const made = await suggest(bot, id, { text: TEXT, sources, confidence: 0.8 })
  const by = { kind: 'program', id: made.by.id, name: 'Answer bot' }
  const written = { text: TEXT, format: 'plain', answers: question, sources, confidence: 0.8 }
  const createdAt = new Date(clock.now()).toISOString()
  const expected = { id: made.id, ticketId: id, state: 'open', by, ...written, createdAt, closedAt: null }
  expect(made).toEqual(expected)
  expect(await suggestionsOf(client, id)).toEqual([expected])
  expect(await openSuggestionsOf(ben, id)).toEqual([{ id: made.id, by, ...written, usedBy: [], createdAt }])
  clock.advance(24 * HOUR_MS)
  expect((await readTicket(client, id)).messages).toHaveLength(1)
})

test('what an agent takes and sends as it is becomes that message', async () => {
  const { ben, ana, bot, id } = await openSuggestions(bellhop)
  const made = await suggest(bot, id, { text: TEXT })
  expect(await useSuggestion(ben, made)).toEqual({ text: TEXT, format: 'plain' })
  expect(await openSuggestionsOf(ana, id)).toMatchObject([{ id: made.id, usedBy: [ben.id] }])
  const messageId = await send(ben, id, ` ${TEXT}\n`)
  expect(await suggestionsOf(bot, id)).toMatchObject([
    { id: made.id, state: 'sent', messageId, similarity: 1, closedAt: new Date(clock.now()).toISOString() },
  ])
  expect(await openSuggestionsOf(ben, id)).toEqual([])
})

test('a plain text that the composer sends as Markdown is the same', async () => {
  const { ben, bot, id } = await openSuggestions(bellhop)
  const text = 'It is 2*3*4 cm.\nSee _invoice_2026_.'
  await useSuggestion(ben, await suggest(bot, id, { text }))
  await send(ben, id, 'It is 2\\*3\\*4 cm.\nSee \\_invoice_2026\\_.', { format: 'markdown' })
  expect(await suggestionsOf(bot, id)).toMatchObject([{ state: 'sent', similarity: 1 }])
})

test('what an agent takes and changes is edited, by how much is left of it', async () => {
  const { ben, bot, id } = await openSuggestions(bellhop)
  const made = await suggest(bot, id, { text: 'You can return it within 30 days.' })
  await useSuggestion(ben, made)
  const messageId = await send(ben, id, 'Yes, you can return it within 14 days.')
  const [closed] = await suggestionsOf(bot, id)
  // 6 of 7 words are in the answer, which has 8.
  expect(closed).toMatchObject({ state: 'edited', messageId, similarity: 0.8 })
})

test('another answer than the one that an agent took supersedes it', async () => {
  const { ben, bot, id } = await openSuggestions(bellhop)
  await useSuggestion(ben, await suggest(bot, id, { text: TEXT }))
  await send(ben, id, 'Please call us.')
  const [closed] = await suggestionsOf(bot, id)
  expect(closed).toMatchObject({ state: 'superseded' })
  expect(closed).not.toHaveProperty('messageId')
  expect(closed).not.toHaveProperty('similarity')
})

test('of two agents who took it, either can send it', async () => {
  const { ben, ana, bot, id } = await openSuggestions(bellhop)
  const made = await suggest(bot, id, { text: TEXT })
  for (const agent of [ben, ana, ben, ana]) await useSuggestion(agent, made)
  expect(await openSuggestionsOf(ben, id)).toMatchObject([{ id: made.id, usedBy: [ben.id, ana.id] }])
  const messageId = await send(ben, id, TEXT)
  expect(await suggestionsOf(bot, id)).toMatchObject([{ state: 'sent', messageId, similarity: 1 }])
})

test('another agent who answers supersedes it, even with the same words', async () => {
  const { ben, ana, bot, id } = await openSuggestions(bellhop)
  await useSuggestion(ben, await suggest(bot, id, { text: TEXT }))
  await send(ana, id, TEXT)
  expect(await suggestionsOf(bot, id)).toMatchObject([{ state: 'superseded' }])
})

test('a reply closes nothing while it can be undone, nor when it is undone', async () => {
  const { client, ben, bot, id } = await openSuggestions(bellhop)
  const made = await suggest(bot, id, { text: TEXT })
  await useSuggestion(ben, made)
  const reply = await sendReply(ben, id, { text: TEXT })
  expect(await openSuggestionsOf(ben, id)).toMatchObject([{ id: made.id, usedBy: [ben.id] }])
  expect((await ben.call('DELETE', replyPath(id, reply.id))).status).toBe(204)
  expect(await openSuggestionsOf(ben, id)).toHaveLength(1)
  const again = await sendReply(ben, id, { text: `Hello. ${TEXT}` })
  await untilSent(bellhop, clock)
  expect((await readTicket(client, id)).messages).toHaveLength(2)
  expect(await suggestionsOf(bot, id)).toMatchObject([{ state: 'edited', messageId: again.id }])
})

test('a reply for later closes it when it is sent', async () => {
  const { ben, bot, id, question } = await openSuggestions(bellhop)
  const made = await suggest(bot, id, { text: TEXT })
  await useSuggestion(ben, made)
  const messageId = createId('msg', clock.now())
  const sendAt = new Date(clock.now() + HOUR_MS).toISOString()
  await ben.call('PUT', replyPath(id, messageId), { body: { text: TEXT, sendAt, after: question } })
  expect(await openSuggestionsOf(ben, id)).toHaveLength(1)
  clock.advance(HOUR_MS)
  await untilSent(bellhop, clock)
  expect(await suggestionsOf(bot, id)).toMatchObject([{ id: made.id, state: 'sent', messageId }])
})

test('a customer who writes while an agent edits it supersedes it', async () => {
  const { client, ben, bot, id } = await openSuggestions(bellhop)
  const made = await suggest(bot, id, { text: TEXT })
  await useSuggestion(ben, made)
  const words = { text: 'Never mind.', role: 'customer' }
  await client.call('POST', `/tickets/${id}/messages`, { body: words })
  expect(await openSuggestionsOf(ben, id)).toEqual([])
  await send(ben, id, TEXT)
  expect(await suggestionsOf(bot, id)).toMatchObject([{ state: 'superseded' }])
  problemOf(
    await ben.call('POST', `/console/tickets/${id}/suggestions/${made.id}/use`),
    409,
    'suggestion_closed',
  )
})

test('of two programs, the one that an agent took becomes the answer', async () => {
  const { client, ben, bot, id } = await openSuggestions(bellhop)
  const other = await programOf(bellhop, client, 'Second bot')
  const one = await suggest(bot, id, { text: TEXT })
  clock.advance(1_000)
  const two = await suggest(other, id, { text: 'Sorry for the trouble.' })
  expect((await openSuggestionsOf(ben, id)).map(({ id }) => id)).toEqual([two.id, one.id])
  await useSuggestion(ben, one)
  await send(ben, id, TEXT)
  expect((await suggestionsOf(client, id)).map(({ id, state }) => [id, state])).toEqual([
    [two.id, 'superseded'],
    [one.id, 'sent'],
  ])
})

test('an agent dismisses it with a reason or without one', async () => {
  const { ben, bot, id } = await openSuggestions(bellhop)
  const made = await suggest(bot, id, { text: TEXT })
  expect((await dismissSuggestion(ben, made, { reason: ' Wrong product ' })).status).toBe(204)
  expect((await dismissSuggestion(ben, made, { reason: 'Wrong product' })).status).toBe(204)
  problemOf(await dismissSuggestion(ben, made), 409, 'suggestion_closed')
  expect(await suggestionsOf(bot, id)).toMatchObject([{ state: 'rejected', reason: 'Wrong product' }])
  const next = await suggest(bot, id, { text: TEXT })
  expect((await dismissSuggestion(ben, next)).status).toBe(204)
  const [last] = await suggestionsOf(bot, id)
  expect(last).toMatchObject({ id: next.id, state: 'rejected' })
  expect(last).not.toHaveProperty('reason')
  problemOf(await dismissSuggestion(ben, next, { reason: 'x'.repeat(501) }), 400, 'invalid_request')
})

test('the files of a suggestion become copies of the agent, who can send them', async () => {
  const { client, ben, bot, id } = await openSuggestions(bellhop)
  const file = await bot.call<{ id: string }>('POST', '/attachments?name=label.txt', { raw: 'A label' })
  const made = await suggest(bot, id, { text: TEXT, attachments: [file.json.id] })
  expect(made.attachments).toMatchObject([{ id: file.json.id, name: 'label.txt' }])
  expect(await openSuggestionsOf(ben, id)).toMatchObject([{ attachments: [{ id: file.json.id }] }])
  const [copy] = (await useSuggestion(ben, made)).attachments ?? []
  expect(copy).toMatchObject({ name: 'label.txt', size: 7 })
  expect(copy?.id).not.toBe(file.json.id)
  await send(ben, id, TEXT, { attachments: [copy?.id] })
  const { messages } = await readTicket(client, id)
  expect(messages.at(-1)).toMatchObject({ attachments: [{ id: copy?.id }] })
  expect(await suggestionsOf(client, id)).toMatchObject([
    { state: 'sent', attachments: [{ id: file.json.id }] },
  ])
})

test('the list and the search know for which tickets an answer is suggested', async () => {
  const { client, ben, bot, id } = await openSuggestions(bellhop)
  const other = await makeTicket(client, { tags: ['vip'] })
  const made = await suggest(bot, id, { text: TEXT })
  const rows = async (q: string) => {
    const { json } = await ben.call<{ data: { id: string; isSuggested?: boolean }[] }>(
      'GET',
      `/console/tickets?q=${q}`,
    )
    return json.data.map(({ id, isSuggested }) => [id, isSuggested])
  }
  expect(await rows('')).toEqual([
    [other.id, undefined],
    [id, true],
  ])
  expect(await rows('is:suggested')).toEqual([[id, true]])
  expect(await rows('is:suggested%20status:resolved')).toEqual([])
  expect(await rows('-is:suggested')).toEqual([[other.id, undefined]])
  await indexed(bellhop, clock)
  expect(await rows('is:suggested%20invoice')).toEqual([[id, true]])
  expect((await client.call<{ data: object[] }>('GET', '/search?q=is:suggested')).json.data).toHaveLength(1)
  expect((await client.call('GET', '/tickets')).text).not.toContain('isSuggested')
  const change = { snoozedUntil: new Date(clock.now() + HOUR_MS).toISOString() }
  await ben.call('POST', '/console/bulk', { body: { items: [{ id, change }] } })
  expect(await rows('is:suggested')).toEqual([[id, true]])
  const { json } = await ben.call<{ views: { suggested: number } }>('GET', '/console/counts')
  expect(json.views.suggested).toBe(1)
  await dismissSuggestion(ben, made)
  expect(await rows('is:suggested')).toEqual([])
})

test('a resolved ticket is not listed for its suggestion, until someone reopens it', async () => {
  const { client, ben, bot, id } = await openSuggestions(bellhop)
  const made = await suggest(bot, id, { text: TEXT })
  const listed = async (q: string) => {
    const list = await ben.call<{ data: { id: string; isSuggested?: boolean }[] }>(
      'GET',
      `/console/tickets?q=${q}`,
    )
    return list.json.data.map(({ id, isSuggested }) => [id, isSuggested])
  }
  const counted = async () =>
    (await ben.call<{ views: { suggested: number } }>('GET', '/console/counts')).json.views.suggested
  const change = async (status: string) => {
    expect((await client.call('PATCH', `/tickets/${id}`, { body: { status } })).status).toBe(200)
  }
  await change('resolved')
  expect([await listed('is:suggested'), await counted()]).toEqual([[], 0])
  expect((await client.call<{ data: object[] }>('GET', '/search?q=is:suggested')).json.data).toEqual([])
  expect(await listed('-is:suggested')).toEqual([[id, undefined]])
  expect(await openSuggestionsOf(ben, id)).toMatchObject([{ id: made.id }])
  await change('open')
  expect([await listed('is:suggested'), await counted()]).toEqual([[[id, true]], 1])
})

test('the statistics count what became of the suggestions of each author', async () => {
  const { client, ben, ana, bot, id } = await openSuggestions(bellhop)
  const root = await signInAgent(bellhop, client.orgId, { role: 'admin' })
  const key = await client.withKey({ name: 'A key', scopes: ['tickets:read', 'suggestions:write'] })
  await suggest(bot, id, { text: 'First' })
  await suggest(bot, id, { text: TEXT })
  await suggest(key, id, { text: 'From a key' })
  const none = { open: 0, sent: 0, edited: 0, rejected: 0, superseded: 0, withdrawn: 0 }
  const statistics = async () =>
    (await root.call<{ data: { by: object }[] }>('GET', '/console/suggestions/statistics')).json.data
  problemOf(await ben.call('GET', '/console/suggestions/statistics'), 403, 'admins_only')
  expect(await statistics()).toMatchObject([
    { by: { kind: 'key', name: 'A key' }, ...none, open: 1 },
    { by: { kind: 'program', name: 'Answer bot' }, ...none, open: 1 },
  ])
  const [, current] = await openSuggestionsOf(ben, id)
  await useSuggestion(ben, { ticketId: id, id: current?.id ?? '' })
  await send(ben, id, TEXT)
  expect(await statistics()).toMatchObject([
    { ...none, superseded: 1 },
    { ...none, sent: 1 },
  ])
  await suggest(bot, id, { text: 'For nothing', answers: await ask(client, id) })
  await send(ana, id, 'Something else.')
  expect(await statistics()).toMatchObject([{ superseded: 1 }, { ...none, sent: 1, superseded: 1 }])
})

/** As the customer. Returns the id of the message. */
async function ask(client: Client, ticketId: string): Promise<string> {
  const body = { text: 'And now?', role: 'customer' }
  return (await client.call<{ id: string }>('POST', `/tickets/${ticketId}/messages`, { body })).json.id
}

/** Sends at once. Returns the id of the message. */
async function send(
  agent: SignedInAgent,
  ticketId: string,
  text: string,
  more: object = {},
): Promise<string> {
  const id = createId('msg', clock.now())
  const answer = await agent.call('PUT', replyPath(ticketId, id), { body: { text, ...more } })
  expect(answer.status, answer.text).toBe(201)
  return id
}
