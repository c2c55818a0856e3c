import { afterAll, expect, test } from 'bun:test'
import { openOutgoing } from '../support/mail/outgoing.ts'
import { askToSuggest, openSuggestionsOf, programOf, suggest, suggestionsOf } from '../support/suggestions.ts'
import { problemOf, readTicket } from '../support/tickets.ts'

// What counts as an answer, and as the customer's next message, where mails go to others, too.

const outgoing = await openOutgoing()
afterAll(() => outgoing[Symbol.asyncDispose]())
const { bellhop, acme, ben } = outgoing

test('neither a vacation notice nor what is forwarded to someone else closes a suggestion', async () => {
  const bot = await programOf(bellhop, acme, 'Answer bot')
  const id = await outgoing.ticket()
  const question = (await readTicket(acme, id)).messages[0]?.id ?? ''
  const made = await suggest(bot, id, { text: 'It leaves today.' })
  await outgoing.receive(id, { text: 'I am away.', isAutomatic: true })
  const body = {
    id: bellhop.deps.newId('msg'),
    to: [{ address: 'desk@carrier.example' }],
    text: 'Where is it?',
  }
  const forwarded = await ben.call('POST', `/console/tickets/${id}/messages/${question}/forward`, { body })
  expect(forwarded.status, forwarded.text).toBe(201)
  expect(await openSuggestionsOf(ben, id)).toMatchObject([{ id: made.id }])
  await suggest(bot, id, { text: 'It left yesterday.', answers: question })
  const next = await outgoing.receive(id, { text: 'Well?' })
  expect(await openSuggestionsOf(ben, id)).toEqual([])
  expect((await suggestionsOf(bot, id)).map(({ state }) => state)).toEqual(['superseded', 'superseded'])
  const late = { text: 'It left.', answers: question }
  problemOf(await bot.call('POST', `/tickets/${id}/suggestions`, { body: late }), 409, 'answered_since')
  await suggest(bot, id, { text: 'It arrived.', answers: next })
})

test('neither a vacation notice, nor a third party, nor what is forwarded to them can be answered', async () => {
  const bot = await programOf(bellhop, acme, 'Answer bot')
  const id = await outgoing.ticket()
  const [question] = (await readTicket(acme, id)).messages
  const automatic = await outgoing.receive(id, { text: 'I am away.', isAutomatic: true })
  const to = [{ address: 'desk@carrier.example' }]
  const forwardId = bellhop.deps.newId('msg')
  const forward = { id: forwardId, to, text: 'Where is it?' }
  await ben.call('POST', `/console/tickets/${id}/messages/${question?.id}/forward`, { body: forward })
  const carrier = await outgoing.receive(id, { text: 'We have it.', author: 'third_party' })
  for (const answers of [automatic, forwardId, carrier]) {
    const problem = problemOf(await askToSuggest(bot, id, { text: 'x', answers }), 400, 'invalid_request')
    expect(problem.errors).toMatchObject([{ pointer: '/answers', code: 'unknown_message' }])
  }
  await suggest(bot, id, { text: 'The carrier has it.', answers: question?.id })
})

test('what a mail server or a third party sends after an answer doesn’t ask for another', async () => {
  const bot = await programOf(bellhop, acme, 'Answer bot')
  const id = await outgoing.ticket()
  const answer = await outgoing.reply(id, 'It leaves today.')
  const notice = await outgoing.receive(id, { text: 'I am away.', isAutomatic: true })
  const carrier = await outgoing.receive(id, { text: 'We have it.', author: 'third_party' })
  for (const answers of [notice, carrier]) {
    const refused = await askToSuggest(bot, id, { text: 'x', answers })
    expect(problemOf(refused, 409, 'answered_since')).toMatchObject({ id: answer })
  }
  await suggest(bot, id, { text: 'Soon.', answers: await outgoing.receive(id, { text: 'Well?' }) })
})
