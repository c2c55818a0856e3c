import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { SQL } from 'bun'
import { DATABASE_FILE } from '../../server/database/open.ts'
import { createId } from '../../server/ids.ts'
import { type Answer, type Client, call, clientWithKey } from '../support/bellhop.ts'
import { writeCaFile } from '../support/certificates.ts'
import { ADDRESS, startEveryChannel } from '../support/every-channel.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { startProgram } from '../support/program.ts'
import { startReceiver } from '../support/receiver.ts'
import { newClientId, ORIGIN } from '../support/visitors.ts'
import { eventually } from '../support/webhooks.ts'

// The real server, while 64 writers use every kind of job through its front door and something happens to it again and
// again. KILL_ROUNDS says how often it is killed: 50 before an issue is resolved.

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 15)
const FEW_ROUNDS = 4
const WRITERS = 64
/** Longer than a connection of another program waits for an answer here. */
const STILL_MS = 2_000
/** A write is refused after five seconds. */
const LOCKED_MS = 6_000
const MAX_LIFE_MS = 600
const CHATS = 8
/** A chat takes a message a second. */
const CHAT_PAUSE_MS = 900
const PAUSE_MS = 20
/** More than a message of Telegram takes together with what follows. */
const LONG = 'word '.repeat(814).trim()
const RETRY_MS = 10
const LOOK_EVERY_MS = 200
const MAX_TEST_MS = 840_000

/** One kind of job. Each thing that is done has a word of its own. */
interface Kind {
  /** Does it, and returns whether the server acknowledged it, so that it may not be lost. */
  write(word: string): Promise<boolean>
  /** All words that arrived, as often as they did. */
  arrived(): Promise<string[]> | string[]
  /** How many of them a kill can interrupt, so that they arrive twice. */
  inFlight: number
  pauseMs: number
}

/** What happens to the server in each round, and whether what is on its way then may arrive twice. */
const FAULTS: Record<string, { rounds: number; mayDouble: boolean; act(stage: Stage): Promise<void> }> = {
  'is killed': { rounds: ROUNDS, mayDouble: true, act: (stage) => stage.restart('SIGKILL') },
  'is stopped with everything in flight': {
    rounds: FEW_ROUNDS,
    mayDouble: false,
    act: (stage) => stage.restart('SIGTERM'),
  },
  'stands still, and goes on with results that are old': {
    rounds: FEW_ROUNDS,
    mayDouble: true,
    async act({ signal }) {
      signal('SIGSTOP')
      await Bun.sleep(STILL_MS)
      signal('SIGCONT')
    },
  },
  'loses its database, and does not know what was committed': {
    rounds: FEW_ROUNDS,
    mayDouble: true,
    act: ({ place }) => takeDatabaseAway(place),
  },
}

describeWithMail(
  'of every kind of job, nothing that was acknowledged is lost, and only what was on its way arrives twice',
  () => {
    test.each(Object.entries(FAULTS))(
      'when the server %s',
      async (_, { rounds, mayDouble, act }) => {
        await using stage = await openStage()
        const kinds = Object.entries(await kindsOf(stage))
        const acknowledged = new Map(kinds.map(([name]) => [name, new Set<string>()]))
        let isOver = false
        let done = 0

        async function writer(number: number): Promise<void> {
          const [name, kind] = kinds[number % kinds.length] ?? ['', undefined]
          for (let count = 0; kind && !isOver; count += 1) {
            const word = `${name}-${number}-${count}`
            if (await kind.write(word).catch(() => false)) {
              acknowledged.get(name)?.add(word)
              done += 1
            }
            await Bun.sleep(kind.pauseMs)
          }
        }

        const writers = Array.from({ length: WRITERS }, (_, number) => writer(number))
        for (let round = 0; round < rounds; round += 1) {
          const before = done
          // A busy machine may take longer to start than to live.
          await eventually(() => done > before)
          await Bun.sleep(Math.random() * MAX_LIFE_MS)
          await act(stage)
        }
        // Some kinds take longer than others.
        await eventually(() => [...acknowledged.values()].every(({ size }) => size > 0))
        isOver = true
        await Promise.all(writers)

        for (const [name, { arrived, inFlight }] of kinds) {
          const wanted = acknowledged.get(name) ?? new Set()
          expect(wanted.size, name).toBeGreaterThan(0)
          const look = async () => (await arrived()).filter((word) => word.startsWith(`${name}-`))
          let words = await look()
          // What waits for its turn is given its time, as long as some of it comes.
          for (let missing = wanted.difference(new Set(words)); missing.size > 0; ) {
            await eventually(async () => {
              await Bun.sleep(LOOK_EVERY_MS)
              words = await look()
              return wanted.difference(new Set(words)).size < missing.size
            }).catch((cause) => {
              throw new Error(`${name}: ${[...missing].slice(0, 5)} never arrived.`, { cause })
            })
            missing = wanted.difference(new Set(words))
          }
          const copies = Map.groupBy(words, (word) => word)
          const most = Math.max(...[...copies.values()].map(({ length }) => length))
          const doubles = mayDouble ? inFlight * rounds : 0
          expect(most, name).toBeLessThanOrEqual(doubles === 0 ? 1 : 1 + rounds)
          expect(words.length - copies.size, name).toBeLessThanOrEqual(doubles)
        }
      },
      MAX_TEST_MS,
    )
  },
)

type Stage = Awaited<ReturnType<typeof openStage>>

/** A server with an endpoint, a mailbox, a bot and a widget, and what is on the other side of them. */
async function openStage() {
  const receiver = await startReceiver()
  const started = await startEveryChannel({
    settings: {
      BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8',
      BELLHOP_WEBHOOK_CA: await writeCaFile(),
      // An attempt that a kill interrupts again and again counts as failed, and that may happen here.
      BELLHOP_WEBHOOK_RETRIES: Array(ROUNDS).fill('10ms').join(),
    },
    fill: (deps, { orgId, url }) => clientWithKey(deps, url, orgId, { rateLimit: 1_000_000 }),
  })
  const { url, widget, telegram, bot, smtp, dovecot, place } = started
  let server = started.program
  await started.create('/console/endpoints', { url: receiver.url, events: ['ticket.created'] })
  return {
    url,
    client: started.filled,
    widget,
    receiver,
    telegram,
    bot,
    smtp,
    dovecot,
    place,
    signal: (name: 'SIGSTOP' | 'SIGCONT') => process.kill(server.pid, name),
    async restart(name: 'SIGKILL' | 'SIGTERM') {
      await server.end(name)
      server = await startProgram(place)
    },
    async [Symbol.asyncDispose]() {
      await server.end('SIGKILL')
      await Promise.all([started.stop(), receiver.stop()])
    },
  }
}

/** On SQLite, another program keeps the database locked for longer than a write waits; on PostgreSQL, all connections end. */
async function takeDatabaseAway(place: { BELLHOP_DATA: string; DATABASE_URL?: string }): Promise<void> {
  if (place.DATABASE_URL) {
    const server = new SQL(place.DATABASE_URL)
    await server`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
    await server.close()
    return
  }
  using database = new Database(join(place.BELLHOP_DATA, DATABASE_FILE))
  database.exec('PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE')
  await Bun.sleep(LOCKED_MS)
  database.exec('ROLLBACK')
}

async function kindsOf(stage: Stage): Promise<Record<string, Kind>> {
  const { client, receiver, telegram, bot, smtp, dovecot } = stage
  const people = Array.from({ length: CHATS }, () => telegram.addUser())
  for (const person of people) person.writes(bot, 'Hello')
  dovecot.deliver(ADDRESS, mailOf('first'))
  const chats = await ticketsOf(client, 'telegram', CHATS)
  const [mailed = ''] = await ticketsOf(client, 'email', 1)
  const { id: written } = await makeTicket(client, 'For scheduled messages')
  const token = await openSession(stage)
  const uploads = new Map<string, string>()
  let turn = 0
  const next = <One>(all: One[]): One => {
    turn += 1
    const one = all[turn % all.length]
    if (one === undefined) throw new Error('There is none.')
    return one
  }
  const customers = (channel: string) => wordsOf(client, channel, 'customer')

  return {
    delivery: {
      write: async (word) => (await makeTicket(client, word)).status === 201,
      arrived() {
        const bodies = Map.groupBy(receiver.requests, ({ headers }) => headers['webhook-id'])
        // Every attempt has the same bytes under the same id.
        for (const [first, ...others] of bodies.values()) {
          for (const { body } of others) expect(Buffer.from(body).equals(first?.body ?? body)).toBe(true)
        }
        return receiver.requests.map(
          ({ body }) => JSON.parse(Buffer.from(body).toString()).data.ticket.subject,
        )
      },
      // At the same time, and as many as are claimed with them: their results may share a commit, which a kill prevents.
      inFlight: 8 + 128,
      pauseMs: PAUSE_MS,
    },
    mailSent: {
      write: (word) => post(client, mailed, word),
      arrived() {
        const mails = Map.groupBy(smtp.messages, ({ raw }) => /^Message-ID: .*$/im.exec(raw.toString())?.[0])
        for (const [first, ...others] of mails.values()) {
          for (const { raw } of others) expect(raw.equals(first?.raw ?? raw)).toBe(true)
        }
        return smtp.messages.map(({ raw }) => wordIn(raw.toString()))
      },
      inFlight: 8,
      pauseMs: 4 * PAUSE_MS,
    },
    chatSent: {
      // Every third takes two messages of Telegram.
      write: (word) =>
        post(client, next(chats), word.endsWith('3') ? `${word} ${LONG}\n\n${word} end` : word),
      arrived() {
        const texts = people.map(({ id }) => telegram.sent(bot, id).map(({ text = '' }) => text))
        for (const inChat of texts) {
          for (const [at, text] of inChat.entries()) {
            // No second part without the first one before it, and nothing in between.
            if (text.endsWith(' end')) expect(wordIn(inChat[at - 1] ?? '')).toBe(wordIn(text))
          }
        }
        return texts.flat().flatMap((text) => (text.endsWith(' end') ? [] : [wordIn(text)]))
      },
      inFlight: CHATS,
      pauseMs: CHAT_PAUSE_MS,
    },
    scheduled: {
      // Under one id until there is an answer.
      async write(word) {
        const path = `/tickets/${written}/messages/${createId('msg', Date.now())}`
        const sendAt = new Date(Date.now() + PAUSE_MS).toISOString()
        return untilAnswered(() => client.call('PUT', path, { body: { text: word, sendAt } }))
      },
      arrived: () => wordsOf(client, 'api', 'agent'),
      inFlight: 0,
      pauseMs: PAUSE_MS,
    },
    mailReceived: {
      async write(word) {
        dovecot.deliver(ADDRESS, mailOf(word))
        // The same mail once more, as forwarding servers do.
        if (word.endsWith('0')) dovecot.deliver(ADDRESS, mailOf(word))
        return true
      },
      arrived: () => customers('email'),
      inFlight: 0,
      pauseMs: 20 * PAUSE_MS,
    },
    update: {
      async write(word) {
        // Each by someone else: a chat that floods has to wait.
        telegram.addUser().writes(bot, word)
        return true
      },
      arrived: () => customers('telegram'),
      inFlight: 0,
      pauseMs: 20 * PAUSE_MS,
    },
    visitor: {
      async write(word) {
        const path = `/conversations/conversation_${word}/messages/${newClientId()}`
        return untilAnswered(() => askWidget(stage, 'PUT', path, { text: word }, token))
      },
      arrived: () => customers('widget'),
      inFlight: 0,
      pauseMs: 4 * PAUSE_MS,
    },
    file: {
      async write(word) {
        const headers = { 'content-type': 'application/octet-stream' }
        const { status, json } = await client.call('POST', `/attachments?name=${word}`, {
          raw: word,
          headers,
        })
        if (status === 201) uploads.set(word, String(json.id))
        return status === 201
      },
      async arrived() {
        const read = [...uploads.values()].map((id) => client.call('GET', `/attachments/${id}`))
        return (await Promise.all(read)).map(({ text }) => text)
      },
      inFlight: 0,
      pauseMs: PAUSE_MS,
    },
  }
}

async function makeTicket(client: Client, subject: string) {
  const body = { subject, message: 'Hello', customer: { email: 'ana@example.com' } }
  const { status, json } = await client.call<{ id: string }>('POST', '/tickets', { body })
  return { status, id: json.id }
}

async function post(client: Client, ticketId: string, text: string): Promise<boolean> {
  return (await client.call('POST', `/tickets/${ticketId}/messages`, { body: { text } })).status === 201
}

async function untilAnswered(send: () => Promise<Answer<unknown>>): Promise<boolean> {
  for (;;) {
    const answer = await send().catch(() => undefined)
    if (answer) return answer.status < 300
    await Bun.sleep(RETRY_MS)
  }
}

interface Listed {
  data: { id: string }[]
  meta: { total: number; nextCursor?: string }
}

/** The tickets of a channel, once there are so many. */
function ticketsOf(client: Client, channel: string, count = 0): Promise<string[]> {
  return eventually(async () => {
    const ids: string[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { json }: Answer<Listed> = await client.call(
        'GET',
        `/tickets?channel=${channel}&per_page=100&cursor=${cursor}`,
      )
      ids.push(...json.data.map(({ id }) => id))
      cursor = json.meta.nextCursor
    }
    return ids.length >= count ? ids : undefined
  })
}

async function wordsOf(client: Client, channel: string, role: string): Promise<string[]> {
  const read = async (id: string) => {
    const { json } = await client.call<{ messages: { role: string; text: string }[] }>(
      'GET',
      `/tickets/${id}`,
    )
    return json.messages.flatMap((one) => (one.role === role ? [wordIn(one.text)] : []))
  }
  return (await Promise.all((await ticketsOf(client, channel)).map(read))).flat()
}

/** The word in a text, empty if there is none. */
function wordIn(text: string): string {
  return /\b[a-zA-Z]+-\d+-\d+\b/.exec(text)?.[0] ?? ''
}

function mailOf(word: string): string {
  const head = `From: Ana <ana.${word}@customer.test>\r\nTo: ${ADDRESS}\r\nSubject: A question\r\n`
  return `${head}Message-ID: <${word}@customer.test>\r\n\r\n${word}\r\n`
}

function askWidget({ url, widget }: Stage, method: string, path: string, body: object, token?: string) {
  const headers = { origin: ORIGIN, ...(token && { authorization: `Bearer ${token}` }) }
  return call<{ token: string }>(method, `${url}/widget/${widget.key}${path}`, { body, headers })
}

async function openSession(stage: Stage): Promise<string> {
  return (await askWidget(stage, 'POST', '/session', {})).json.token
}
