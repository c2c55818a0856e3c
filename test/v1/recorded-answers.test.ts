import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { upsertCustomer } from '../../server/customers/customers.ts'
import { openTicket } from '../../server/tickets/tickets.ts'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { createManualClock, type ManualClock } from '../support/clock.ts'
import { startReceiver } from '../support/receiver.ts'
import { startTelegram } from '../support/telegram-server/telegram-server.ts'
import { NO_TICKET, ticketInput } from '../support/tickets.ts'
import { Transcript } from '../support/transcript.ts'
import { openWidget } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

// Sections 4 to 8 of the specification: integrations rely on every byte of these answers and webhooks. The recording is
// of f4709b8c, the last commit before the API grew. RECORD=FILE writes another one.

const RECORDING = join(import.meta.dir, 'recorded-answers.txt')

test('every answer and webhook is what it was before the API grew, but for fields that were added', async () => {
  const transcript = await record()
  if (Bun.env.RECORD) await Bun.write(Bun.env.RECORD, transcript)
  else expect(stepsOf(withoutAdded(transcript))).toEqual(stepsOf(await Bun.file(RECORDING).text()))
})

/** Fields of tickets and messages that were added since. */
const ADDED = ['customerId', 'externalId', 'metadata', 'author']
const ADDED_HEADER = /^x-service-event-position: .+\n/gm

function stepsOf(transcript: string): string[] {
  return transcript.split('\n\n')
}

/** `ticket.created` gains nothing. */
function withoutAdded(transcript: string): string {
  return transcript
    .replaceAll(ADDED_HEADER, '')
    .replaceAll(/^\{.*\}$/gm, (body) =>
      body.startsWith('{"event":"ticket.created"')
        ? body
        : JSON.stringify(JSON.parse(body), (key, value) => (ADDED.includes(key) ? undefined : value)),
    )
}

async function record(): Promise<string> {
  const clock = createManualClock(Date.parse('2026-03-02T09:00:00.000Z'))
  const telegram = await startTelegram({ clock })
  const bellhop = await startBellhop({
    clock,
    settings: {
      BELLHOP_TELEGRAM_API: telegram.root,
      BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
      BELLHOP_WEBHOOK_CA: await writeCaFile(),
    },
  })
  const transcript = new Transcript(bellhop)
  try {
    const client = await bellhop.organization()
    const id = await recordTickets(transcript, { bellhop, clock, client })
    await recordRefusals(transcript, { bellhop, client, id })
    await recordWebhooks(transcript, { bellhop, clock, telegram })
    return transcript.toString()
  } finally {
    await bellhop.stop()
    await telegram.close()
  }
}

interface Scene {
  bellhop: Bellhop
  clock: ManualClock
  client: Client
}

async function recordTickets(transcript: Transcript, { bellhop, clock, client }: Scene): Promise<string> {
  const { id: agentId } = await signInAgent(bellhop, client.orgId)
  const ask = async (asked: string, body?: unknown, headers?: Record<string, string>) => {
    clock.advance(1_000)
    const more = { ...(body !== undefined && { body }), ...(headers && { headers }) }
    return transcript.ask(client, asked, more)
  }
  const once = { 'idempotency-key': 'invoice-1' }
  const input = ticketInput({ channel: 'api', tags: ['billing', ' vip '] })
  const {
    json: { id },
    headers,
  } = await ask('POST /tickets', input, once)
  const etag = headers.get('etag') ?? ''
  await ask('POST /tickets', input, once)
  await ask('POST /tickets', { ...input, subject: 'Other' }, once)
  await ask('POST /tickets', { subject: 'x', message: 'y', customer: { email: 'Bo.Li+x@example.com' } })
  await ask('POST /tickets', ticketInput({ subject: 'Grüße 👋 "quoted"', message: 'a\nb\t</script>' }))
  await ask(`GET /tickets/${id}`)
  await ask(`GET /tickets/${id}`, undefined, { 'if-none-match': etag })
  await ask(`HEAD /tickets/${id}`)
  await ask('OPTIONS /tickets')
  await ask(`PATCH /tickets/${id}`, { status: 'pending', assignedTo: agentId, tags: ['b', 'a'] })
  await ask(`PATCH /tickets/${id}`, { status: 'resolved' }, { 'if-match': etag })
  await ask(`PATCH /tickets/${id}`, {})
  await ask(`POST /tickets/${id}/messages`, { text: 'It is attached.' }, { 'idempotency-key': 'answer-1' })
  await ask(`POST /tickets/${id}/messages`, { text: 'It is attached.' }, { 'idempotency-key': 'answer-1' })
  await ask(`POST /tickets/${id}/messages`, { text: '**Bold**', format: 'markdown' })
  await ask(`PATCH /tickets/${id}`, { status: 'resolved' })
  await ask(`GET /tickets/${id}`)
  for (const query of ['', '?per_page=2', '?per_page=2&page=2', '?sort=created_desc&per_page=1&cursor=']) {
    await ask(`GET /tickets/${id}/messages${query}`)
  }
  for (const query of [
    '',
    '?status=open&channel=api&per_page=1000',
    '?status=resolved',
    '?channel=email',
    `?assignedTo=${agentId}`,
    '?assignedTo=unassigned&sort=created_asc',
    '?tag=a',
    '?spam=true',
    '?per_page=1&page=2&sort=updated_desc',
    '?page=9',
    '?sort=message_desc&per_page=2',
    '?sort=waiting',
    '?cursor=&per_page=2&sort=created_asc',
  ]) {
    await ask(`GET /tickets${query}`)
  }
  await ask(`PATCH /tickets/${id}`, { assignedTo: null })
  const file = await transcript.ask(client, 'POST /attachments?name=a.txt', {
    raw: 'A file',
    headers: { 'content-type': 'text/plain' },
  })
  await ask(`POST /tickets/${id}/messages`, { text: 'Here it is.', attachments: [file.json.id] })
  await ask(`GET /attachments/${file.json.id}`)
  return id
}

async function recordRefusals(
  transcript: Transcript,
  { bellhop, client, id }: { bellhop: Bellhop; client: Client; id: string },
): Promise<void> {
  const ask = (asked: string, body?: unknown, as: Client | undefined = client) =>
    transcript.ask(as, asked, body === undefined ? {} : { body })
  await transcript.ask(undefined, 'GET /tickets')
  await transcript.ask(undefined, 'GET /tickets', { headers: { authorization: 'Bearer bellhop_sk_guess' } })
  const writer = await client.withKey({ scopes: ['messages:write'] })
  await ask('GET /tickets', undefined, writer)
  await ask('POST /tickets', {}, writer)
  await ask('GET /tickets', undefined, await client.withKey({ kind: 'public' }))
  const limited = await client.withKey({ rateLimit: 1 })
  await ask('GET /tickets?per_page=1', undefined, limited)
  await ask('GET /tickets', undefined, limited)
  const stranger = await bellhop.organization('Other')
  await ask(`GET /tickets/${id}`, undefined, stranger)
  await ask(`PATCH /tickets/${id}`, { status: 'open' }, stranger)
  await ask(`POST /tickets/${id}/messages`, { text: 'x' }, stranger)
  await ask('GET /tickets', undefined, stranger)
  for (const path of [NO_TICKET, 'nonsense', `${NO_TICKET}/messages`]) await ask(`GET /tickets/${path}`)
  await ask('GET /nothing')
  await ask('PUT /tickets', {})
  for (const query of ['colour=red', 'status=closed', 'page=0', 'per_page=1.5', 'cursor=x']) {
    await ask(`GET /tickets?${query}`)
  }
  await ask('GET /tickets?page=1&page=2')
  await ask('GET /tickets?tag=')
  await ask('POST /tickets', {})
  await ask('POST /tickets', { ...ticketInput({ channel: 'email', tags: [''] }), colour: 'red' })
  await ask('POST /tickets', ticketInput({ subject: 's'.repeat(256), customer: { email: 'nobody' } }))
  await ask('POST /tickets', ticketInput({ attachments: ['att_1'] }))
  await ask('POST /tickets', [])
  await ask(`PATCH /tickets/${id}`, { status: 'closed', assignedTo: 7 })
  await ask(`PATCH /tickets/${id}`, { assignedTo: 'agt_00000000000000000000000000' })
  await ask(`POST /tickets/${id}/messages`, { text: ' ' })
  await ask(`POST /tickets/${id}/messages`, { text: 'x', format: 'html', colour: 'red' })
  const headers = { 'content-type': 'application/json' }
  await transcript.ask(client, 'POST /tickets', { raw: '{"broken', headers })
  await transcript.ask(client, 'POST /tickets', { raw: '{}', headers: { 'content-type': 'text/plain' } })
  await transcript.ask(client, 'POST /tickets', { raw: ' '.repeat(5_000_000), headers })
  await transcript.ask(client, 'POST /tickets', {
    body: ticketInput(),
    headers: { 'idempotency-key': ' ' },
  })
}

async function recordWebhooks(
  transcript: Transcript,
  {
    bellhop,
    clock,
    telegram,
  }: { bellhop: Bellhop; clock: ManualClock; telegram: Awaited<ReturnType<typeof startTelegram>> },
): Promise<void> {
  const { deps } = bellhop
  const client = await bellhop.organization('Shop')
  const { orgId } = client
  const receiver = await startReceiver()
  const events = ['ticket.created', 'message.sent']
  await createEndpoint(deps, orgId, { url: receiver.url, events })
  /** Waits for these webhooks, which can arrive in any order, and writes them. */
  const got = async (count: number) => {
    await eventually(() => receiver.requests.length === count)
    const requests = receiver.requests.splice(0)
    for (const event of events) {
      for (const request of requests) {
        if (request.headers['x-service-event'] === event) transcript.webhook(request)
      }
    }
    clock.advance(1_000)
  }
  const answer = async (ticketId: string) => {
    await transcript.ask(client, `POST /tickets/${ticketId}/messages`, {
      body: { text: 'It is on its way.' },
    })
    await got(1)
  }

  const { json } = await transcript.ask(client, 'POST /tickets', { body: ticketInput({ tags: ['vip'] }) })
  await got(2)
  await answer(json.id)

  const visitor = await (await openWidget(bellhop, orgId)).visit()
  const { conversation } = await visitor.say('Are you there?')
  await got(2)
  await answer(conversation.id)

  const mail = await deps.database.write(undefined, async (tx) => {
    const customer = await upsertCustomer(deps, tx, orgId, { name: 'Bo', email: 'bo@example.com' })
    const message = { text: 'Where is it?' }
    return openTicket(deps, tx, orgId, { channel: 'email', subject: 'Parcel', customer, message })
  })
  await got(2)
  await answer(mail.id)

  const admin = await signInAgent(bellhop, orgId, { role: 'admin' })
  const bot = telegram.addBot()
  await admin.call('POST', '/console/bots', { body: { token: bot.token } })
  clock.advance(1_000)
  telegram.addUser({ first_name: 'Ana', username: 'ana' }).writes(bot, 'Where is my parcel?')
  await got(2)
  const list = await client.call<{ data: { id: string }[] }>('GET', '/tickets?channel=telegram')
  await answer(list.json.data[0]?.id ?? '')
  await receiver.stop()
}
