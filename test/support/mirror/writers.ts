import { createHmac } from 'node:crypto'
import { type Client, Problem } from '../../../release/clients/typescript/src/bellhop.ts'
import { createId } from '../../../server/ids.ts'
import { call } from '../bellhop.ts'
import type { Dovecot } from '../mail/dovecot.ts'
import type { SmtpFaults } from '../mail/smtp-faults.ts'
import type { Random } from '../random.ts'
import type { TelegramServer } from '../telegram-server/telegram-server.ts'
import { newClientId, ORIGIN } from '../visitors.ts'

/** Where things are written, and by what. */
interface World {
  bellhop: Client
  url: string
  agentId: string
  widget: { key: string; identitySecret: string }
  mail: { dovecot: Dovecot; smtp: SmtpFaults; address: string }
  telegram: { server: TelegramServer; bot: ReturnType<TelegramServer['addBot']> }
  random: Random
}

/** What exists, as far as the writers know. Much of it is gone. */
const MOST_KNOWN = 200
/** What it is about is gone or taken, or the server is busy. */
const REFUSED = [400, 404, 409, 412, 422, 429, 503]
const STATUSES = ['open', 'pending', 'resolved'] as const
const TAGS = ['billing', 'vip', 'refund', 'bug']

/** Does one thing at a time that changes what `/v1` shows. */
export function createWriters(world: World) {
  const { bellhop, random, mail, telegram } = world
  const none = 'none'
  const known = {
    tickets: [none],
    customers: [none],
    moves: [none],
    sent: [[none, none]],
    conversations: [['', '']],
  }
  const people = Array.from({ length: 8 }, () => telegram.server.addUser())
  let count = 0
  const word = () => {
    count += 1
    return `word${count}`
  }
  const one = <Value>(all: readonly Value[]): Value => all[random(all.length)] as Value
  const add = <Value>(all: Value[], value: Value) => {
    if (all.length < MOST_KNOWN) all.push(value)
    else all[random(MOST_KNOWN)] = value
  }
  const ticket = () => ({ id: one(known.tickets) })
  const address = () => `ana${random(150)}@customer.test`

  const kinds: Record<string, () => Promise<unknown>> = {
    async ticket() {
      const attachments = random(5) === 0 ? [(await bellhop.upload('a.txt', word())).id] : []
      const made = await bellhop.post('/tickets', {
        body: {
          subject: word(),
          message: word(),
          customer: { name: word(), email: address() },
          tags: [one(TAGS)],
          attachments,
          metadata: { order: word() },
        },
      })
      add(known.tickets, made.id)
      if (made.customerId) add(known.customers, made.customerId)
    },
    async answer() {
      const params = ticket()
      const body = { text: word(), status: one(STATUSES) }
      const { id } = await bellhop.post('/tickets/{id}/messages', { params, body })
      add(known.sent, [params.id, id])
    },
    customerAnswers: () =>
      bellhop.post('/tickets/{id}/messages', { params: ticket(), body: { text: word(), role: 'customer' } }),
    async scheduled() {
      const params = { id: ticket().id, messageId: createId('msg', Date.now()) }
      const sendAt = new Date(Date.now() + random(300)).toISOString()
      await bellhop.put('/tickets/{id}/messages/{messageId}', { params, body: { text: word(), sendAt } })
      add(known.sent, [params.id, params.messageId])
    },
    takeBack() {
      const [id = '', messageId = ''] = one(known.sent)
      return bellhop.delete('/tickets/{id}/messages/{messageId}', { params: { id, messageId } })
    },
    change() {
      const changes = [
        { status: one(STATUSES) },
        { subject: word() },
        { addTags: [one(TAGS)], removeTags: [one(TAGS)] },
        { spam: random(2) === 0 },
        { assignedTo: random(2) === 0 ? world.agentId : null },
        { metadata: { order: random(2) === 0 ? null : word() } },
        { externalId: word() },
      ]
      return bellhop.patch('/tickets/{id}', { params: ticket(), body: one(changes) })
    },
    bulk() {
      const ids = Array.from({ length: 10 }, () => ticket().id)
      return bellhop.post('/tickets/bulk', { body: { ids, change: { addTags: [one(TAGS)] } } })
    },
    note: () => bellhop.post('/tickets/{id}/notes', { params: ticket(), body: { text: word() } }),
    async import() {
      const createdAt = new Date(Date.now() - random(1_000_000_000) - 60_000).toISOString()
      const tickets = Array.from({ length: 3 }, () => ({
        externalId: `import-${word()}`,
        subject: word(),
        status: one(STATUSES),
        channel: one(['api', 'email'] as const),
        customer: { name: word(), email: address() },
        createdAt,
        messages: (['customer', 'agent', 'note'] as const).map((role) => ({ role, text: word(), createdAt })),
      }))
      const { data } = await bellhop.post('/imports', { body: { tickets } })
      for (const { id } of data) if (id) add(known.tickets, id)
    },
    customer() {
      const params = { id: one(known.customers) }
      const changes = [
        { name: word() },
        { company: word() },
        { email: address() },
        { metadata: { plan: word() } },
        { externalId: word() },
      ]
      return bellhop.patch('/customers/{id}', { params, body: one(changes) })
    },
    async putCustomer() {
      const params = { externalId: `crm-${random(100)}` }
      const { id } = await bellhop.put('/customers/external/{externalId}', {
        params,
        body: { name: word(), email: address() },
      })
      add(known.customers, id)
    },
    async mergeCustomers() {
      const body = { from: one(known.customers) }
      const move = await bellhop.post('/customers/{id}/merge', { params: { id: one(known.customers) }, body })
      add(known.moves, move.id)
    },
    async merge() {
      const move = await bellhop.post('/tickets/{id}/merge', {
        params: ticket(),
        body: { from: ticket().id },
      })
      add(known.moves, move.id)
    },
    async split() {
      const params = ticket()
      const { data } = await bellhop.get('/tickets/{id}/messages', { params })
      const messageIds = data.slice(1).map(({ id }) => id)
      const body = { subject: word(), messages: messageIds.slice(0, 1 + random(3)) }
      const move = await bellhop.post('/tickets/{id}/split', { params, body })
      add(known.moves, move.id)
      add(known.tickets, move.into)
    },
    undo: () => bellhop.post('/moves/{id}/undo', { params: { id: one(known.moves) } }),
    deleteTicket: () => bellhop.delete('/tickets/{id}', { params: ticket() }),
    deleteCustomer: () => bellhop.delete('/customers/{id}', { params: { id: one(known.customers) } }),
    async visitor() {
      const isOld = random(2) === 0 && known.conversations.length > 1
      const [token = '', conversation = ''] = isOld
        ? one(known.conversations.slice(1))
        : [await openSession(world), newClientId()]
      await sayInWidget(world, { token, conversation, text: word() })
      if (!isOld) add(known.conversations, [token, conversation])
    },
    // A visitor without a name signs in, and becomes the user's customer.
    async signIn() {
      const [token = ''] = one(known.conversations)
      if (token === '') return
      const userId = `user${random(20)}`
      const userHash = createHmac('sha256', world.widget.identitySecret).update(userId).digest('hex')
      await openSession(world, { userId, userHash, name: word() }, token)
    },
    async mail() {
      const name = `${word()}.${random(1_000_000)}`
      mail.dovecot.deliver(mail.address, mailFrom(address(), mail.address, name))
    },
    async bounce() {
      if (mail.smtp.messages.length === 0) return
      const { raw, to } = one(mail.smtp.messages)
      const [, messageId = ''] = /^Message-ID: (.*)$/im.exec(raw.toString()) ?? []
      mail.dovecot.deliver(mail.address, bounceOf(mail.address, messageId, to[0] ?? ''))
    },
    async chat() {
      one(people).writes(telegram.bot, word())
    },
    /** Tickets of mails and chats, too. */
    async look() {
      const { data } = await bellhop.get('/tickets', {
        query: { channel: one(['email', 'telegram', 'widget']) },
      })
      for (const { id, customerId } of data.slice(0, 20)) {
        add(known.tickets, id)
        if (customerId) add(known.customers, customerId)
      }
    },
  }
  const all = Object.entries(kinds)
  const done = new Map(all.map(([name]) => [name, 0]))

  return {
    /** How often each kind was done. */
    done,
    /** One thing by chance. What is refused, because what it is about is gone or taken, changes nothing. */
    async write(): Promise<void> {
      const [name, write] = one(all)
      try {
        await write()
        done.set(name, (done.get(name) ?? 0) + 1)
      } catch (error) {
        if (!(error instanceof Problem && REFUSED.includes(error.status))) throw error
      }
    },
  }
}

async function openSession({ url, widget }: World, body: object = {}, token?: string): Promise<string> {
  const headers = { origin: ORIGIN, ...(token && { authorization: `Bearer ${token}` }) }
  const answer = await untilAnswered(() =>
    call<{ token?: string }>('POST', `${url}/widget/${widget.key}/session`, { body, headers }),
  )
  return answer.json.token ?? token ?? ''
}

async function sayInWidget(
  { url, widget }: World,
  { token, conversation, text }: { token: string; conversation: string; text: string },
): Promise<void> {
  const path = `${url}/widget/${widget.key}/conversations/${conversation}/messages/${newClientId()}`
  const headers = { origin: ORIGIN, authorization: `Bearer ${token}` }
  await untilAnswered(() => call('PUT', path, { body: { text }, headers }))
}

const RETRY_MS = 100

/** A proxy says 502 while it finds no server. */
async function untilAnswered<Result extends { status: number }>(
  send: () => Promise<Result>,
): Promise<Result> {
  for (;;) {
    const answer = await send().catch(() => undefined)
    if (answer && answer.status !== 502) return answer
    await Bun.sleep(RETRY_MS)
  }
}

function mailFrom(from: string, to: string, word: string): string {
  const lines = [
    `From: Ana <${from}>`,
    `To: ${to}`,
    `Subject: ${word}`,
    `Message-ID: <${word}@customer.test>`,
  ]
  return [...lines, '', word, ''].join('\r\n')
}

function bounceOf(to: string, messageId: string, recipient: string): string {
  const part = (type: string, ...lines: string[]) => ['--b', `Content-Type: ${type}`, '', ...lines, '']
  return [
    'Return-Path: <>',
    'From: MAILER-DAEMON@mx.customer.test',
    `To: ${to}`,
    'Subject: Undelivered',
    `Message-ID: <bounce.${crypto.randomUUID()}@mx.customer.test>`,
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    ...part('text/plain', 'It could not be delivered.'),
    ...part(
      'message/delivery-status',
      'Reporting-MTA: dns; mx.customer.test',
      '',
      `Final-Recipient: rfc822; ${recipient}`,
      'Action: failed',
      'Status: 5.1.1',
    ),
    ...part('message/rfc822', `Message-ID: ${messageId}`, 'Subject: x', '', 'Hello'),
    '--b--',
    '',
  ].join('\r\n')
}
