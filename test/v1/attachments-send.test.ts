import { afterAll, describe, expect, test } from 'bun:test'
import { attachments } from '../../server/database/tables/attachments.ts'
import { messages } from '../../server/database/tables/messages.ts'
import { createId } from '../../server/ids.ts'
import { signInAgent } from '../support/agents.ts'
import { type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { storedEvents, subscribe } from '../support/subscription.ts'
import { makeTicket, type ProblemJson, problemOf, readTicket, ticketInput } from '../support/tickets.ts'
import { type AttachmentJson, upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'

const clock = createManualClock()
const settings = { BELLHOP_ATTACHMENTS_PER_MESSAGE: '3' }
const bellhop = await startBellhop({ clock, settings })
afterAll(() => bellhop.stop())
const acme = await bellhop.organization()
const ben = await signInAgent(bellhop, acme.orgId)

interface WithFiles {
  id: string
  attachments?: AttachmentJson[]
}

const post = (by: Client, ticketId: string, ids: unknown, more: object = {}) =>
  by.call<WithFiles>('POST', `/tickets/${ticketId}/messages`, {
    body: { text: 'Here', attachments: ids },
    ...more,
  })
const filesOf = async (ticketId: string) =>
  (await readTicket(acme, ticketId)).messages.map((message) => (message as WithFiles).attachments)
/** What is stored of attachments and messages; equal before and after a request that changed nothing. */
const stored = async () => {
  const { read } = bellhop.deps.database
  return JSON.stringify([await read.select().from(attachments), await read.select().from(messages)])
}
const pointersOf = ({ errors }: ProblemJson) => errors?.map(({ pointer, code }) => [pointer, code])

test('files go with the first message of a ticket and with replies, in the order of their ids', async () => {
  const [first, second, third] = [await upload(acme, 'a'), await upload(acme, 'b'), await upload(acme, 'c')]
  const created = await acme.call<{ id: string }>('POST', '/tickets', {
    body: ticketInput({ attachments: [first.id] }),
  })
  expect(created.status).toBe(201)
  const { id } = created.json
  const posted = await post(acme, id, [third.id, second.id])
  expect(posted.json.attachments).toEqual([third, second])
  await acme.call('POST', `/tickets/${id}/messages`, { body: { text: 'Nothing attached', attachments: [] } })
  expect(await filesOf(id)).toEqual([[first], [third, second], undefined])
})

test('webhooks name the files of a message, and have no such field without any', async () => {
  const own = await bellhop.organization()
  await subscribe(bellhop.deps, own.orgId)
  const file = await upload(own, 'a.txt')
  const { id } = await makeTicket(own, { attachments: [file.id] })
  await own.call('POST', `/tickets/${id}/messages`, { body: { text: 'Thanks' } })
  const sent = (await storedEvents(bellhop.deps, own.orgId)).filter(({ type }) => type === 'message.sent')
  expect(sent.map(({ body }) => JSON.parse(body).data.message.attachments)).toEqual([[file], undefined])
})

test('a message that was scheduled keeps its files, and its webhook names them', async () => {
  const own = await bellhop.organization()
  await subscribe(bellhop.deps, own.orgId)
  const { id } = await makeTicket(own)
  const file = await upload(own)
  const path = `/tickets/${id}/messages/${createId('msg', clock.now())}`
  const sendAt = new Date(clock.now() + 60_000).toISOString()
  const body = { text: 'Later', sendAt, attachments: [file.id] }
  expect((await own.call<WithFiles>('PUT', path, { body })).json.attachments).toEqual([file])
  expect((await own.call<WithFiles>('GET', path)).json.attachments).toEqual([file])
  expect((await readTicket(own, id)).messages).toHaveLength(1)
  clock.advance(60_000)
  await eventually(async () => (await readTicket(own, id)).messages.length === 2)
  expect((await own.call<WithFiles>('GET', path)).json).toMatchObject({ attachments: [file] })
  // The same request again, after it was sent.
  const again = await own.call<WithFiles>('PUT', path, { body })
  expect([again.status, again.json.attachments]).toEqual([200, [file]])
  const [, last] = (await storedEvents(bellhop.deps, own.orgId)).filter(({ type }) => type === 'message.sent')
  expect(JSON.parse(last?.body ?? '{}').data.message.attachments).toEqual([file])
})

test('a key that takes its scheduled message back can send the files again', async () => {
  const { id } = await makeTicket(acme)
  const file = await upload(acme)
  const path = `/tickets/${id}/messages/${createId('msg', clock.now())}`
  const sendAt = new Date(clock.now() + 60_000).toISOString()
  await acme.call('PUT', path, { body: { text: 'Later', sendAt, attachments: [file.id] } })
  problemOf(await post(acme, id, [file.id]), 400, 'invalid_request')
  expect((await acme.call('DELETE', path)).status).toBe(204)
  expect((await post(acme, id, [file.id])).status).toBe(201)
})

describe('the text can be blank', () => {
  test('beside a file, in a message with an id of its own', async () => {
    const { id } = await makeTicket(acme)
    const path = () => `/tickets/${id}/messages/${createId('msg', clock.now())}`
    const file = await upload(acme)
    const answer = await acme.call<WithFiles>('PUT', path(), { body: { text: '', attachments: [file.id] } })
    expect([answer.status, answer.json]).toMatchObject([201, { text: '', attachments: [file] }])
    for (const [text, code] of [
      ['', 'too_short'],
      [' \n', 'blank'],
    ] as const) {
      const refused = await acme.call('PUT', path(), { body: { text, attachments: [] } })
      expect(pointersOf(problemOf(refused, 400, 'invalid_request'))).toEqual([['/text', code]])
    }
  })
})

describe('refused, and nothing changes:', () => {
  test('an id that is unknown, of another key, of another organization, deleted or sent already', async () => {
    const { id } = await makeTicket(acme)
    const [good, deleted, used] = [await upload(acme), await upload(acme), await upload(acme)]
    await acme.call('DELETE', `/attachments/${deleted.id}`)
    await post(acme, id, [used.id])
    const others = [
      'att_1',
      '',
      'msg_00000000000000000000000000',
      (await upload(await acme.withKey())).id,
      (await upload(ben)).id,
      (await upload(await bellhop.organization())).id,
      deleted.id,
      used.id,
    ]
    for (const other of others) {
      const before = await stored()
      const expected = [['/attachments/1', 'unknown_attachment']]
      for (const answer of [
        await post(acme, id, [good.id, other]),
        await acme.call('POST', '/tickets', { body: ticketInput({ attachments: [good.id, other] }) }),
        await acme.call('PUT', `/tickets/${id}/messages/${createId('msg', clock.now())}`, {
          body: { text: 'x', attachments: [good.id, other] },
        }),
      ]) {
        expect(pointersOf(problemOf(answer, 400, 'invalid_request'))).toEqual(expected)
      }
      expect(await stored()).toBe(before)
    }
  })

  test('an id given twice, too many ids, and what is not a list of ids', async () => {
    const { id } = await makeTicket(acme)
    const files = await Promise.all(Array.from({ length: 4 }, () => upload(acme)))
    const [one = '', ...more] = files.map((file) => file.id)
    const before = await stored()
    const wrong: [ids: unknown, pointer: string, code: string][] = [
      [[one, one], '/attachments/1', 'repeated'],
      [[one, ...more], '/attachments', 'too_many'],
      [one, '/attachments', 'wrong_type'],
      [[1], '/attachments/0', 'wrong_type'],
      [null, '/attachments', 'wrong_type'],
    ]
    for (const [ids, pointer, code] of wrong) {
      expect(pointersOf(problemOf(await post(acme, id, ids), 400, 'invalid_request'))).toEqual([
        [pointer, code],
      ])
    }
    expect(await stored()).toBe(before)
  })

  test('a file for a ticket of another organization', async () => {
    const other = await makeTicket(await bellhop.organization())
    const file = await upload(acme)
    const before = await stored()
    problemOf(await post(acme, other.id, [file.id]), 404, 'not_found')
    expect(await stored()).toBe(before)
  })

  test('deleting a file that is sent', async () => {
    const { id } = await makeTicket(acme)
    const file = await upload(acme)
    await post(acme, id, [file.id])
    problemOf(await acme.call('DELETE', `/attachments/${file.id}`), 409, 'already_sent')
  })
})

test('of two messages that send the same file at the same time, one gets it', async () => {
  const tickets = await Promise.all(Array.from({ length: 4 }, () => makeTicket(acme)))
  const file = await upload(acme)
  const answers = await Promise.all(tickets.map(({ id }) => post(acme, id, [file.id])))
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400])
  const all = await Promise.all(tickets.map(({ id }) => filesOf(id)))
  expect(all.flat().filter((files) => files !== undefined)).toEqual([[file]])
  expect(all.flat()).toHaveLength(5)
})

test('two messages with the same files in another order do not block each other', async () => {
  const [one, other] = [await makeTicket(acme), await makeTicket(acme)]
  const files = await Promise.all(Array.from({ length: 3 }, () => upload(acme)))
  const ids = files.map(({ id }) => id)
  const answers = await Promise.all([post(acme, one.id, ids), post(acme, other.id, ids.toReversed())])
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 400])
})

test('a repeated request with the same files is answered as before, with other files it is refused', async () => {
  const { id } = await makeTicket(acme)
  const [file, other] = [await upload(acme), await upload(acme)]
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const first = await post(acme, id, [file.id], { headers })
  const again = await post(acme, id, [file.id], { headers })
  expect([again.status, again.text]).toEqual([201, first.text])
  problemOf(await post(acme, id, [other.id], { headers }), 422, 'idempotency_mismatch')
  const path = `/tickets/${id}/messages/${createId('msg', clock.now())}`
  const [third, fourth] = [await upload(acme), await upload(acme)]
  const put = (ids: string[]) => acme.call('PUT', path, { body: { text: 'x', attachments: ids } })
  expect((await put([third.id])).status).toBe(201)
  expect((await put([third.id])).status).toBe(200)
  problemOf(await put([fourth.id]), 409, 'message_id_taken')
  problemOf(await put([]), 409, 'message_id_taken')
})
