import { afterAll, expect, test } from 'bun:test'
import { recordBounce } from '../../server/channels/email/inbound/bounces.ts'
import { openOutgoing, sendsOf } from '../support/mail/outgoing.ts'
import type { OutgoingJson } from '../support/threads.ts'
import { problemOf } from '../support/tickets.ts'

// Messages that failed or bounced, and are sent again.

const outgoing = await openOutgoing()
afterAll(() => outgoing[Symbol.asyncDispose]())
const { ben, acme, smtp, bellhop } = outgoing

const resend = (ticketId: string, messageId: string, body: object = {}) =>
  ben.call('POST', `/console/tickets/${ticketId}/messages/${messageId}/resend`, { body })

const copiesOf = (messageId: string) => smtp.messages.filter(({ raw }) => raw.includes(messageId))

/** As the inbound side does with a delivery report. */
function bounce(messageId: string, address: string, words: { status?: string; diagnostic?: string } = {}) {
  const { deps } = bellhop
  const header = `<${messageId}.${deps.encryption.sign('message id', messageId)}@acme.example>`
  const recipients = [{ address, status: '', diagnostic: '', ...words }]
  return deps.database.write(undefined, (tx) =>
    recordBounce(deps, tx, acme.orgId, { headers: [header], recipients }),
  )
}

test('a message that failed is sent again with the same bytes, and only once for each request', async () => {
  smtp.fail({ at: 'end', does: { code: 554, text: 'Not today' } })
  const ticketId = await outgoing.ticket()
  const id = await outgoing.reply(ticketId, 'Hello')
  await outgoing.until(ticketId, id, 'failed')
  const [failed] = await sendsOf(outgoing, id)
  const answers = await Promise.all([resend(ticketId, id), resend(ticketId, id)])
  expect(answers.map(({ status }) => status).sort()).toEqual([204, 409])
  const sent = await outgoing.until(ticketId, id, 'sent')
  expect(sent).not.toHaveProperty('sendError')
  expect(copiesOf(id)).toHaveLength(1)
  expect((await sendsOf(outgoing, id))[0]?.content).toEqual(failed?.content)
  problemOf(await resend(ticketId, id), 409, 'not_failed')
})

test('a bounce marks the very message and recipient; it is sent again to another address, and not twice to those who got it', async () => {
  const bob = { name: 'Bob', address: 'bob@example.com' }
  const ticketId = await outgoing.ticket({ cc: [bob] })
  const other = await outgoing.reply(ticketId, 'Another message.')
  const id = await outgoing.reply(ticketId, 'Hello')
  await outgoing.until(ticketId, other, 'sent')
  await outgoing.until(ticketId, id, 'sent')
  const diagnostic = '550 5.1.1 <ana@example.com>: User unknown'
  const before = await acme.call<{ updatedAt: string }>('GET', `/tickets/${ticketId}`)
  expect(await bounce(id, 'ANA@example.com', { diagnostic })).toEqual({ messageId: id, ticketId })
  const after = await acme.call<{ updatedAt: string }>('GET', `/tickets/${ticketId}`)
  expect(Date.parse(after.json.updatedAt)).toBeGreaterThan(Date.parse(before.json.updatedAt))
  expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
  expect(await outgoing.message(ticketId, id)).toMatchObject({
    sending: 'bounced',
    sendError: `ana@example.com: ${diagnostic}`,
    missed: [{ address: 'ana@example.com', state: 'bounced', detail: diagnostic }],
  })
  expect(await outgoing.message(ticketId, other)).toMatchObject({ sending: 'sent' })
  const read = await acme.call<OutgoingJson>('GET', `/tickets/${ticketId}/messages/${id}`)
  expect(read.json.delivery).toEqual({
    state: 'bounced',
    by: 'email',
    reason: `ana@example.com: ${diagnostic}`,
  })

  const wrong = problemOf(await resend(ticketId, id, { to: [{ address: 'ana' }] }), 400, 'invalid_request')
  expect(wrong.errors).toMatchObject([{ pointer: '/to/0/address', detail: '"ana" is not an email address.' }])
  expect((await resend(ticketId, id, { to: [{ address: 'ana@home.example' }] })).status).toBe(204)
  await outgoing.until(ticketId, id, 'sent')
  expect(copiesOf(id).map(({ to }) => to)).toEqual([['ana@example.com', bob.address], ['ana@home.example']])
  expect(copiesOf(id)[1]?.raw.toString()).toMatch(/^To: ana@home\.example\r?$/m)
})

test('a report with another address is about the only recipient, and one without our signature is about no one', async () => {
  const ticketId = await outgoing.ticket()
  const id = await outgoing.reply(ticketId, 'Hello')
  await outgoing.until(ticketId, id, 'sent')
  const { deps } = bellhop
  const forged = await deps.database.write(undefined, (tx) =>
    recordBounce(deps, tx, acme.orgId, {
      headers: [`<${id}.0000000000000000@acme.example>`],
      recipients: [{ address: 'ana@example.com', status: '5.0.0', diagnostic: '' }],
    }),
  )
  expect(forged).toBeUndefined()
  await bounce(id, 'ana@forwarded.example', { status: '5.2.2' })
  expect(await outgoing.message(ticketId, id)).toMatchObject({
    sending: 'bounced',
    sendError: 'The email bounced with the status 5.2.2.',
    missed: [{ address: 'ana@example.com' }],
  })
})

test('a message without a way out says so, and leaves when there is one', async () => {
  await using unconnected = await openOutgoing({ isConnected: false })
  const ticketId = await unconnected.ticket()
  const recipients = { to: [{ address: 'dan@example.com' }] }
  const id = await unconnected.put(ticketId, { text: 'For Dan only.', recipients })
  expect(await unconnected.message(ticketId, id)).toMatchObject({
    sending: 'failed',
    sendError: 'No mailbox is connected.',
  })
  await unconnected.mailbox()
  const path = `/console/tickets/${ticketId}/messages/${id}/resend`
  expect((await unconnected.ben.call('POST', path, { body: {} })).status).toBe(204)
  await unconnected.until(ticketId, id, 'sent')
  // Those that its author chose, not those that the ticket suggests.
  expect(unconnected.smtp.messages.map(({ to, from }) => [to, from])).toEqual([
    [['dan@example.com'], 'support@acme.example'],
  ])
})
