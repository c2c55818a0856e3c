import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createClient, type MirrorStore, mirror, Problem, verify, WrongSignature } from 'bellhop-client'

// What a user of the TypeScript client writes, a function for each scenario. Prints one line of JSON.

const { URL: url = '', KEY: key = '' } = process.env
const [, , scenario = '', text = '{}'] = process.argv
const given = JSON.parse(text)
const bellhop = createClient({ url, key, ...(given.tries && { maxTries: given.tries }) })

const SCENARIOS: Record<string, () => Promise<unknown>> = {
  create: () => bellhop.post('/tickets', { body: given }),
  async read() {
    const { customer, messages } = await bellhop.get('/tickets/{id}', { params: given })
    return [customer.name, ...messages.map((message) => message.text)]
  },
  async change() {
    const body = { status: 'pending' as const, tags: ['billing'] }
    const { status, tags } = await bellhop.patch('/tickets/{id}', { params: given, body })
    return [status, ...tags]
  },
  async answer() {
    const input = { params: { id: given.id }, body: { text: 'It is attached.' }, idempotencyKey: given.key }
    const first = await bellhop.post('/tickets/{id}/messages', input)
    const second = await bellhop.post('/tickets/{id}/messages', input)
    return [first.id, second.id]
  },
  async pages() {
    const ids: string[] = []
    for await (const { id } of bellhop.pages('/tickets', { query: given })) ids.push(id)
    return ids
  },
  problem: problems,
  lost: () => bellhop.post('/tickets', { body: given }),
  cut: () => bellhop.post('/tickets', { body: given }),
  cutProblem: problems,
  limited: () => bellhop.post('/tickets', { body: given }),
  away: () => bellhop.post('/tickets', { body: given }),
  async refused() {
    const { status, code } = await problemOf(bellhop.get('/tickets'))
    return { status, code }
  },
  async upload() {
    const { id } = await bellhop.upload(given.name, Buffer.from(given.bytes, 'base64'))
    const ticket = await bellhop.post('/tickets', { body: { ...given.ticket, attachments: [id] } })
    const file = await bellhop.send('get', `/attachments/${id}`)
    return { id: ticket.id, downloaded: Buffer.from(await file.arrayBuffer()).toString('base64') }
  },
  async events() {
    const all: object[] = []
    for await (const { event, position } of bellhop.events({ ...given, wait: 0 }))
      all.push({ event, position })
    return all
  },
  async mirror() {
    const { position: _, ...kept } = await mirrorInto(given.file)
    return kept
  },
  async verify() {
    const webhook = await verify(given.body, given.headers, given.secret)
    if (webhook.event !== 'ticket.created') throw new Error(`${webhook.event} is another event.`)
    return { event: webhook.event, subject: webhook.data.ticket.subject }
  },
  forged: () => Promise.all(given.cases.map(isRefused)),
}

/** One JSON file is enough for a test; a real mirror has a database. */
async function mirrorInto(file: string) {
  const empty = { ticket: {}, message: {}, customer: {}, position: undefined, copies: 0 }
  interface Kept
    extends Record<'ticket' | 'message' | 'customer', Record<string, { id?: string; ticketId?: string }>> {
    position: string | undefined
    copies: number
  }
  let kept: Kept = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : empty
  const removeMessages = (of: string) => {
    for (const [id, { ticketId }] of Object.entries(kept.message))
      if (ticketId === of) delete kept.message[id]
  }
  const store: MirrorStore = {
    position: async () => kept.position,
    async clear() {
      kept = { ...structuredClone(empty), copies: kept.copies + (kept.position === undefined ? 1 : 0) }
    },
    async apply(changes, position) {
      for (const { kind, id, value } of changes) {
        if (value) kept[kind][id] = value
        else delete kept[kind][id]
        if (!value && kind === 'ticket') removeMessages(id)
      }
      kept.position = position
    },
    clearMessages: async (ticketId) => removeMessages(ticketId),
  }
  await mirror(createClient({ url, key: given.key }), store, { wait: 0 })
  writeFileSync(file, JSON.stringify(kept))
  return kept
}

async function problems() {
  const missing = await problemOf(bellhop.get('/tickets/{id}', { params: given }))
  const body = { subject: '', message: 'x', customer: { email: 'nobody' } }
  const invalid = await problemOf(bellhop.post('/tickets', { body }))
  return {
    missing: [missing.status, missing.code],
    invalid: [invalid.status, invalid.code, invalid.errors.map(({ pointer }) => pointer)],
  }
}

async function problemOf(asked: Promise<unknown>): Promise<Problem> {
  try {
    await asked
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('It was answered.')
}

async function isRefused(one: {
  body: string
  headers: Record<string, string>
  secret: string
}): Promise<boolean> {
  try {
    await verify(one.body, new Headers(one.headers), one.secret)
    return false
  } catch (error) {
    return error instanceof WrongSignature
  }
}

process.stdout.write(JSON.stringify(await SCENARIOS[scenario]?.()))
