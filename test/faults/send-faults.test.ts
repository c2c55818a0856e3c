import { expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { eq } from 'drizzle-orm'
import { attachments } from '../../server/database/tables/attachments.ts'
import { createManualClock, type ManualClock } from '../support/clock.ts'
import { type Outgoing, openOutgoing, sendsOf } from '../support/mail/outgoing.ts'
import { startSmtpFaults } from '../support/mail/smtp-faults.ts'
import { readThread } from '../support/threads.ts'
import { problemOf } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

// What happens to an agent's message when the mail server, or this one, has a problem.

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Long enough for a mail that must not come. */
const A_MOMENT_MS = 30

type Controlled = Outgoing & { clock: ManualClock }

async function withClock(given: { isConnected?: boolean } = {}): Promise<Controlled> {
  const clock = createManualClock(Date.parse('2026-03-02T09:00:00.000Z'))
  return Object.assign(await openOutgoing({ clock, ...given }), { clock })
}

/** The send of a message after it was attempted so often. */
async function attempted(outgoing: Outgoing, messageId: string, attempts: number) {
  return eventually(async () => {
    const [send] = await sendsOf(outgoing, messageId)
    return send?.attempts === attempts && send.state !== 'sending' ? send : undefined
  })
}

test('a temporary refusal is tried again after 1, 5, 15, and 30 minutes, then hourly for a day', async () => {
  await using outgoing = await withClock()
  const { smtp, clock } = outgoing
  smtp.fail({ at: 'recipient', does: { code: 451, text: '4.7.1 Greylisted' }, times: 100 })
  const ticketId = await outgoing.ticket()
  const id = await outgoing.reply(ticketId, 'Hello')
  const minutes = [1, 5, 15, 30, ...Array(23).fill(60)]
  for (const [number, wait] of minutes.entries()) {
    await attempted(outgoing, id, number + 1)
    const shown = await outgoing.message(ticketId, id)
    expect(shown).toMatchObject({
      sending: 'queued',
      sendError: "127.0.0.1 can't take the message now: 451 4.7.1 Greylisted",
      retryAt: new Date(clock.now() + wait * MINUTE).toISOString(),
    })
    clock.advance(wait * MINUTE - 1)
    if (number < 2) await Bun.sleep(A_MOMENT_MS)
    expect((await sendsOf(outgoing, id))[0]?.attempts).toBe(number + 1)
    clock.advance(1)
  }
  const failed = await outgoing.until(ticketId, id, 'failed')
  expect(failed.sendError).toContain('451 4.7.1 Greylisted')
  expect(failed).not.toHaveProperty('retryAt')
  expect(smtp.messages).toEqual([])
})

test('a connection that is cut before the message was handed over sends it once', async () => {
  await using outgoing = await withClock()
  const { smtp, clock } = outgoing
  for (const at of ['connect', 'sender', 'data', 'body'] as const) {
    smtp.fail({ at, does: 'cut', times: 2 })
    const ticketId = await outgoing.ticket()
    const id = await outgoing.reply(ticketId, `Cut at ${at}.`)
    await attempted(outgoing, id, 1)
    smtp.heal()
    clock.advance(MINUTE)
    await outgoing.until(ticketId, id, 'sent')
    expect(smtp.messages.filter(({ raw }) => raw.includes(id))).toHaveLength(1)
  }
})

test('a server that hangs is left after its time, and tried again', async () => {
  await using outgoing = await withClock()
  const { smtp, clock } = outgoing
  smtp.fail({ at: 'sender', does: 'hang' })
  const ticketId = await outgoing.ticket()
  const id = await outgoing.reply(ticketId, 'Hello')
  await eventually(() => smtp.steps.includes('sender'))
  clock.advance(5 * MINUTE)
  expect((await attempted(outgoing, id, 1)).error).toBe('127.0.0.1 stopped responding.')
  clock.advance(MINUTE)
  await outgoing.until(ticketId, id, 'sent')
})

test('a final refusal fails at once, in the words of the server', async () => {
  await using outgoing = await withClock()
  outgoing.smtp.fail({ at: 'end', does: { code: 554, text: '5.7.1 Looks like spam' } })
  const ticketId = await outgoing.ticket()
  const id = await outgoing.reply(ticketId, 'Hello')
  expect((await outgoing.until(ticketId, id, 'failed')).sendError).toBe(
    '127.0.0.1 refused it: 554 5.7.1 Looks like spam',
  )
  expect((await sendsOf(outgoing, id))[0]?.attempts).toBe(1)
})

test('one of three recipients is refused and another deferred: each gets it at most once, and the thread says who did not', async () => {
  await using outgoing = await withClock()
  const { smtp, clock } = outgoing
  const bob = 'bob@example.com'
  smtp.fail({ at: 'recipient', recipient: bob, does: { code: 550, text: '5.1.1 No such user' } })
  smtp.fail({ at: 'recipient', recipient: 'cy@example.com', does: { code: 450, text: '4.2.1 Later' } })
  const ticketId = await outgoing.ticket({
    cc: [
      { name: '', address: bob },
      { name: '', address: 'cy@example.com' },
    ],
  })
  const id = await outgoing.reply(ticketId, 'Hello')
  await attempted(outgoing, id, 1)
  expect(smtp.messages.map(({ to }) => to)).toEqual([['ana@example.com']])
  clock.advance(MINUTE)
  const sent = await outgoing.until(ticketId, id, 'sent')
  expect(smtp.messages.map(({ to }) => to)).toEqual([['ana@example.com'], ['cy@example.com']])
  const detail = '127.0.0.1 refused it: 550 5.1.1 No such user'
  expect(sent).toMatchObject({
    sendError: `${bob}: ${detail}`,
    missed: [{ address: bob, state: 'failed', detail }],
  })
})

test('replies to one person leave in order, also when the first one has to wait', async () => {
  await using outgoing = await withClock()
  const { smtp, clock } = outgoing
  smtp.fail({ at: 'end', does: { code: 451, text: 'Later' } })
  const ticketId = await outgoing.ticket()
  const first = await outgoing.reply(ticketId, 'First.')
  await attempted(outgoing, first, 1)
  const second = await outgoing.reply(ticketId, 'Second.')
  const recipients = { to: [{ address: 'dan@example.com' }] }
  const other = await outgoing.put(ticketId, { text: 'Elsewhere.', recipients })
  const third = await outgoing.reply(ticketId, 'Third.')
  await outgoing.until(ticketId, other, 'sent')
  await Bun.sleep(A_MOMENT_MS)
  expect(smtp.messages).toHaveLength(1)
  clock.advance(MINUTE)
  await outgoing.until(ticketId, third, 'sent')
  const order = smtp.messages.map(({ raw }) => [first, second, other, third].find((id) => raw.includes(id)))
  expect(order).toEqual([other, first, second, third])
})

test('replies to one person leave in order, also when the clock is set back between them', async () => {
  await using outgoing = await withClock()
  const { smtp, clock } = outgoing
  smtp.fail({ at: 'end', does: { code: 451, text: 'Later' } })
  const ticketId = await outgoing.ticket()
  const ids = [await outgoing.reply(ticketId, 'First.')]
  await attempted(outgoing, ids[0] ?? '', 1)
  for (const text of ['Second.', 'Third.']) {
    clock.jump(-HOUR)
    ids.push(await outgoing.reply(ticketId, text))
  }
  await Bun.sleep(A_MOMENT_MS)
  expect(smtp.messages).toEqual([])
  clock.advance(MINUTE + 1_000)
  await outgoing.until(ticketId, ids.at(-1) ?? '', 'sent')
  expect(smtp.messages.map(({ raw }) => ids.findIndex((id) => raw.includes(id)))).toEqual([0, 1, 2])
})

test('while a server is down, one message asks and the others wait with the reason; then all leave', async () => {
  await using outgoing = await withClock()
  const { smtp, clock, ben } = outgoing
  await smtp.stop()
  const tickets: string[] = []
  for (let number = 0; number < 12; number++) {
    tickets.push(await outgoing.ticket({ from: { name: '', address: `p${number}@example.com` } }))
  }
  const replies: Promise<string>[] = []
  for (const ticketId of tickets) {
    replies.push(outgoing.reply(ticketId, 'Hello'))
    // Some become due while the failure of another is being saved.
    await Bun.sleep(Math.random() * 4)
  }
  const ids = await Promise.all(replies)
  const reason = /^127\.0\.0\.1 doesn't accept connections on port \d+\. Check the port\.$/
  await eventually(async () => {
    const states = await Promise.all(ids.map((id, index) => outgoing.message(tickets[index] ?? '', id)))
    return states.every(({ sending, sendError }) => sending === 'queued' && reason.test(sendError ?? ''))
  })
  for (const id of ids) expect(await sendsOf(outgoing, id)).toMatchObject([{ attempts: 1 }])
  const boxes = await ben.call<{ data: object[] }>('GET', '/console/mailboxes')
  expect(boxes.json.data).toMatchObject([
    { state: 'failing', health: { sendError: expect.stringMatching(reason) } },
  ])
  await smtp.start()
  clock.advance(MINUTE)
  for (const [index, id] of ids.entries()) await outgoing.until(tickets[index] ?? '', id, 'sent')
  expect(smtp.messages).toHaveLength(12)
})

test('what waits leaves as soon as the settings of the mail server are corrected', async () => {
  await using outgoing = await withClock()
  const { smtp, ben } = outgoing
  const [mailbox] = (await ben.call<{ data: { id: string }[] }>('GET', '/console/mailboxes')).json.data
  const change = async (port: number) => {
    const server = { host: smtp.host, security: 'tls', user: 'support@acme.example' }
    const body = { smtp: { ...server, port, password: 'correct horse' } }
    return (await ben.call('PATCH', `/console/mailboxes/${mailbox?.id}`, { body })).json
  }
  await change(1)
  const ticketId = await outgoing.ticket()
  const first = await outgoing.reply(ticketId, 'Hello')
  await eventually(async () => (await outgoing.message(ticketId, first)).sendError?.includes('port 1'))
  expect(await change(smtp.tlsPort)).toMatchObject({ health: { sendError: null } })
  // The clock doesn't move: without the change, the next attempt would be a minute away.
  await outgoing.until(ticketId, first, 'sent')
  expect(smtp.messages).toHaveLength(1)
})

test('a mailbox that hangs does not hold up another one', async () => {
  await using outgoing = await withClock()
  const { smtp } = outgoing
  const slow = await startSmtpFaults({ users: { 'support@acme.example': 'correct horse' } })
  slow.fail({ at: 'connect', does: 'hang', times: 100 })
  const slowId = await outgoing.mailbox({ address: 'slow@acme.example', smtp: slow })
  for (let number = 0; number < 40; number++) {
    const from = { name: '', address: `p${number}@example.com` }
    await outgoing.reply(await outgoing.ticket({ from, mailboxId: slowId }), 'Slow.')
  }
  await eventually(() => slow.steps.length === 4)
  const ticketId = await outgoing.ticket()
  await outgoing.until(ticketId, await outgoing.reply(ticketId, 'Fast.'), 'sent')
  expect([smtp.messages.length, slow.messages.length, slow.connections()]).toEqual([1, 0, 4])
  await slow.stop()
})

test('a refused sign-in stops the mailbox; its messages wait, and go on when it is reconnected', async () => {
  await using outgoing = await withClock()
  const { smtp, ben } = outgoing
  const wrong = { user: 'support@acme.example', password: 'wrong' }
  const server = { host: smtp.host, port: smtp.tlsPort, security: 'tls' }
  const [mailbox] = (await ben.call<{ data: { id: string }[] }>('GET', '/console/mailboxes')).json.data
  const change = async (credentials: object) => {
    const body = { smtp: { ...server, ...credentials } }
    const answer = await ben.call('PATCH', `/console/mailboxes/${mailbox?.id}`, { body })
    expect(answer.status, answer.text).toBe(200)
  }
  await change(wrong)
  const ticketId = await outgoing.ticket()
  const id = await outgoing.reply(ticketId, 'Hello')
  const reason =
    'Sign-in to the mailbox support@acme.example was refused. An administrator has to reconnect it.'
  await eventually(async () => (await outgoing.message(ticketId, id)).sendError === reason)
  const { reply } = await readThread(ben, ticketId)
  expect(reply.problem).toMatchObject({ reason, effect: 'waits', setting: 'email', fix: { by: 'reconnect' } })
  const later = await outgoing.reply(ticketId, 'And this.')
  expect((await outgoing.message(ticketId, later)).sendError).toBe(reason)
  expect(smtp.steps.filter((step) => step === 'auth')).toHaveLength(1)
  await change({ ...wrong, password: 'correct horse' })
  await outgoing.until(ticketId, later, 'sent')
  expect(await outgoing.message(ticketId, id)).not.toHaveProperty('sendError')
  expect(smtp.messages).toHaveLength(2)
})

test('a paused mailbox sends nothing until it is resumed, and a removed one fails what waits', async () => {
  await using outgoing = await withClock()
  const { smtp, ben } = outgoing
  const [mailbox] = (await ben.call<{ data: { id: string }[] }>('GET', '/console/mailboxes')).json.data
  const path = `/console/mailboxes/${mailbox?.id}`
  expect((await ben.call('POST', `${path}/pause`)).status).toBe(200)
  const ticketId = await outgoing.ticket()
  const id = await outgoing.reply(ticketId, 'Hello')
  const waiting = { sending: 'queued', sendError: 'The mailbox support@acme.example is paused.' }
  expect(await outgoing.message(ticketId, id)).toMatchObject(waiting)
  await Bun.sleep(A_MOMENT_MS)
  expect(smtp.steps).toEqual([])
  expect((await ben.call('POST', `${path}/resume`)).status).toBe(200)
  await outgoing.until(ticketId, id, 'sent')

  await ben.call('POST', `${path}/pause`)
  const last = await outgoing.reply(ticketId, 'Too late.')
  expect((await ben.call('DELETE', path)).status).toBe(204)
  const failed = await outgoing.until(ticketId, last, 'failed')
  expect(failed.sendError).toBe('The mailbox support@acme.example was removed.')
  const resend = `/console/tickets/${ticketId}/messages/${last}/resend`
  const refusal = problemOf(await ben.call('POST', resend, { body: {} }), 409, 'no_transport')
  expect(refusal.detail).toBe('No mailbox is connected.')
  await outgoing.mailbox({ address: 'help@acme.example' })
  expect((await ben.call('POST', resend, { body: {} })).status).toBe(204)
  await outgoing.until(ticketId, last, 'sent')
  expect(smtp.messages.at(-1)?.from).toBe('help@acme.example')
})

for (const [name, jump] of [
  ['forward', HOUR],
  ['back', -HOUR],
] as const) {
  test(`a clock that is set an hour ${name} sends nothing early and nothing late`, async () => {
    await using outgoing = await withClock()
    const { smtp, clock } = outgoing
    smtp.fail({ at: 'end', does: { code: 451, text: 'Later' }, times: 5 })
    const tickets: string[] = []
    const ids: string[] = []
    for (let number = 0; number < 5; number++) {
      const ticketId = await outgoing.ticket({ from: { name: '', address: `p${number}@example.com` } })
      tickets.push(ticketId)
      ids.push(await outgoing.reply(ticketId, 'Hello'))
    }
    for (const id of ids) await attempted(outgoing, id, 1)
    clock.advance(MINUTE / 2)
    clock.jump(jump)
    // New messages are sent at once.
    const fresh = await outgoing.ticket({ from: { name: '', address: 'new@example.com' } })
    await outgoing.until(fresh, await outgoing.reply(fresh, 'New.'), 'sent')
    await Bun.sleep(A_MOMENT_MS)
    expect(smtp.messages).toHaveLength(1)
    clock.advance(MINUTE / 2 + 1_000)
    for (const [index, id] of ids.entries()) await outgoing.until(tickets[index] ?? '', id, 'sent')
  })
}

test('a file that is missing on this server fails the message, and nothing is sent', async () => {
  await using outgoing = await withClock()
  const { ben, smtp, bellhop, clock } = outgoing
  const uploaded = await ben.call<{ id: string }>('POST', '/v1/attachments?name=invoice.pdf', {
    raw: '%PDF-1.4',
    headers: { 'content-type': 'application/octet-stream' },
  })
  const ticketId = await outgoing.ticket()
  const sendAt = new Date(clock.now() + 10_000).toISOString()
  const id = await outgoing.put(ticketId, { text: 'Hello', attachments: [uploaded.json.id], sendAt })
  const { read } = bellhop.deps.database
  const [file] = await read.select().from(attachments).where(eq(attachments.ownerId, id))
  const hash = file?.hash ?? ''
  await rm(`${bellhop.deps.config.dataFolder}/attachments/${hash.slice(0, 2)}/${hash}`)
  clock.advance(10_000)
  await eventually(async () => (await sendsOf(outgoing, id)).length === 1)
  const failed = await outgoing.until(ticketId, id, 'failed')
  expect(failed.sendError).toBe(
    'The file "invoice.pdf" is missing on the Bellhop server, so nothing was sent.',
  )
  expect(smtp.steps).not.toContain('sender')
})

test('sent messages are kept for 30 days in case they bounce, and failed ones for longer', async () => {
  await using outgoing = await withClock()
  const { smtp, clock } = outgoing
  const ticketId = await outgoing.ticket()
  const sent = await outgoing.reply(ticketId, 'Hello')
  await outgoing.until(ticketId, sent, 'sent')
  smtp.fail({ at: 'end', does: { code: 550, text: 'No' } })
  const failed = await outgoing.reply(ticketId, 'Hello')
  await outgoing.until(ticketId, failed, 'failed')
  clock.jump(30 * 24 * HOUR - MINUTE)
  // After a jump nothing is deleted for an hour.
  await eventually(async () => {
    clock.advance(HOUR)
    return (await sendsOf(outgoing, sent)).length === 0
  })
  expect(await sendsOf(outgoing, failed)).toHaveLength(1)
})
