import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { replyAddress } from '../../server/channels/email/reply-address.ts'
import { mails } from '../../server/database/tables/mailboxes.ts'
import { createId } from '../../server/ids.ts'
import { type SignedInAgent, signInAgent } from './agents.ts'
import type { Bellhop, Client } from './bellhop.ts'
import { letRun, type ManualClock } from './clock.ts'
import { countersAndRecount } from './counters.ts'
import { openLedger } from './mail/fetched-mail.ts'
import { mergeTickets, undoMove } from './moves.ts'
import { type Random, seeded } from './random.ts'
import { indexed } from './search.ts'
import { storedRows } from './stored-rows.ts'
import { addNote, newestMessage, replyPath, saveDraft } from './threads.ts'
import { changeTicket, makeTicket } from './tickets.ts'
import { upload } from './uploads.ts'
import { eventually } from './webhooks.ts'

// Random pairs of tickets are merged, answered by mail, and separated again.

const SUPPORT = 'support@acme.example'
/** Longer than the pause that 60 merges a minute leave. */
const PAUSE_MS = 2_000
const DAY_MS = 86_400_000
const TAGS = ['billing', 'vip', 'refund', 'bug']
const STATUSES = ['open', 'pending', 'resolved']

interface MadeTicket {
  id: string
  /** A word that only its messages have. */
  word: string
  address: string
  /** The `Message-ID` of its first mail, if it has one. */
  messageId?: string | undefined
  isSnoozed: boolean
}

/** Merges that many random pairs, and checks each before and after. `seed` is in the name of a test that fails. */
export async function checkRandomMerges(
  bellhop: Bellhop,
  { clock, pairs, seed }: { clock: ManualClock; pairs: number; seed: number },
): Promise<void> {
  using _ = letRun(clock)
  const acme = await bellhop.organization()
  const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben Okafor' })
  const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Lopes' })
  const ledger = await openLedger(bellhop, acme.orgId, SUPPORT)
  const random = seeded(seed)
  const made = { bellhop, acme, ben, ana, ledger, random, clock }
  for (let pair = 0; pair < pairs; pair += 1) {
    const shared = random(2) === 0 ? `p${pair}@customer.test` : undefined
    const from = await makeRandomTicket(made, shared ?? `a${pair}@customer.test`)
    const into = await makeRandomTicket(made, shared ?? `b${pair}@customer.test`)
    await checkMerge(made, { from, into })
  }
  await indexed(bellhop, clock)
  const { kept, counted } = await countersAndRecount(bellhop.deps, acme.orgId)
  expect(kept).toEqual(counted)
}

interface Made {
  bellhop: Bellhop
  acme: Client
  ben: SignedInAgent
  ana: SignedInAgent
  ledger: Awaited<ReturnType<typeof openLedger>>
  random: Random
  clock: ManualClock
}

let words = 0

async function makeRandomTicket(made: Made, address: string): Promise<MadeTicket> {
  const { bellhop, acme, ben, ana, ledger, random, clock } = made
  words += 1
  const word = `lamp${words}x${random(1_000_000)}`
  const tags = TAGS.filter(() => random(3) === 0)
  const isMail = random(3) > 0
  const messageId = isMail ? `${word}@customer.test` : undefined
  const id = isMail
    ? ((
        await ledger.fetched(
          mailOf({
            from: address,
            subject: `About ${word}`,
            headers: [`Message-ID: <${messageId}>`],
            text: word,
          }),
        )
      ).ticketId ?? '')
    : (await makeTicket(acme, { customer: { name: address, email: address }, message: word })).id
  clock.advance(10)
  if (tags.length > 0) await changeTicket(acme, id, { tags })
  for (let step = random(6); step > 0; step -= 1) {
    clock.advance(10)
    const agent = random(2) === 0 ? ben : ana
    const kind = random(6)
    if (kind === 0) await addNote(agent, id, `Note about ${word}`)
    else if (kind === 1) await saveDraft(agent, id, `Draft about ${word} ${step}`)
    else if (kind === 2) await sendTomorrow(agent, id, `Waiting about ${word} ${step}`)
    else if (kind === 3) {
      const file = await upload(acme, `${word}.txt`, word)
      await acme.call('POST', `/tickets/${id}/messages`, {
        body: { text: `Sent ${word}`, attachments: [file.id] },
      })
    } else if (kind === 4) {
      const to = replyAddress(bellhop.deps.encryption, SUPPORT, id)
      await ledger.fetched(
        mailOf({ from: address, to, subject: 'Re', headers: [], text: `More about ${word}` }),
      )
    } else await readAll(agent, id)
  }
  const status = STATUSES[random(STATUSES.length)]
  await changeTicket(acme, id, { status })
  const isAway = random(4) === 0
  const isSnoozed =
    isAway && (await snoozeTicket(made, id, { wasBack: random(2) === 0, isAway: random(2) === 0 }))
  return { id, word, address, messageId, isSnoozed }
}

/** The agent has read everything in the thread. */
async function readAll(agent: SignedInAgent, ticketId: string): Promise<void> {
  const messageId = await newestMessage(agent, ticketId)
  await agent.call('PUT', `/console/tickets/${ticketId}/read`, { body: { messageId } })
}

/** Snoozes a ticket that comes back, or for a week, or one after the other. Returns whether it is away. */
async function snoozeTicket(
  { ben, acme, clock }: Made,
  id: string,
  { wasBack, isAway }: { wasBack: boolean; isAway: boolean },
): Promise<boolean> {
  const until = async (after: number) => {
    const items = [{ id, change: { snoozedUntil: new Date(clock.now() + after).toISOString() } }]
    expect((await ben.call('POST', '/console/bulk', { body: { items } })).status).toBe(200)
  }
  if (wasBack) {
    await until(PAUSE_MS)
    clock.advance(PAUSE_MS)
    await eventually(async () => !('snoozedUntil' in (await acme.call<object>('GET', `/tickets/${id}`)).json))
  }
  if (!wasBack || isAway) await until(7 * DAY_MS)
  return !wasBack || isAway
}

async function sendTomorrow(agent: SignedInAgent, ticketId: string, text: string): Promise<void> {
  const sendAt = new Date(agent.now() + DAY_MS).toISOString()
  const answer = await agent.call('PUT', replyPath(ticketId, createId('msg', agent.now())), {
    body: { text, sendAt },
  })
  expect(answer.status, answer.text).toBe(201)
}

let mailsMade = 0

function mailOf(mail: {
  from: string
  to?: string
  subject: string
  headers: string[]
  text: string
}): string {
  mailsMade += 1
  return [
    `From: ${mail.from}`,
    `To: ${mail.to ?? SUPPORT}`,
    `Subject: ${mail.subject}`,
    ...(mail.headers.length > 0 ? mail.headers : [`Message-ID: <later${mailsMade}@customer.test>`]),
    '',
    mail.text,
  ].join('\r\n')
}

async function checkMerge(made: Made, { from, into }: { from: MadeTicket; into: MadeTicket }): Promise<void> {
  const { bellhop, acme, ben, clock } = made
  clock.advance(PAUSE_MS)
  const before = await rowsOf(bellhop, [from.id, into.id])
  const merged = await mergeTickets(acme, into.id, from.id)
  expect(merged.status, merged.text).toBe(200)
  expect(merged.json).toMatchObject({ kind: 'merge', from: from.id, into: into.id })

  clock.advance(PAUSE_MS)
  // A message would end the snooze, and undoing the merge would not bring it back.
  const later = into.isSnoozed ? [] : await answerByMail(made, from)
  for (const mail of later) expect(mail.ticketId).toBe(into.id)
  await indexed(bellhop, clock)
  for (const query of [`#${from.id.slice(-6)}`, from.word, into.word]) {
    expect([query, await found(ben, query)]).toEqual([query, [into.id]])
  }
  const gone = await acme.call<Record<string, unknown>>('GET', `/tickets/${from.id}`)
  expect(gone.json).toMatchObject({ status: 'resolved', mergedInto: into.id, messages: [] })
  const refused = await acme.call('POST', `/tickets/${from.id}/messages`, { body: { text: 'Late' } })
  expect([refused.status, refused.json.code]).toEqual([409, 'ticket_merged'])

  const undone = await undoMove(acme, merged.json.id)
  expect(undone.status, undone.text).toBe(200)
  const after = await rowsOf(bellhop, [from.id, into.id])
  const laterIds = later.flatMap(({ id, messageId }) => [id, messageId ?? ''])
  expect(withoutLater(after, laterIds, later.length > 0)).toEqual(
    withoutLater(before, laterIds, later.length > 0),
  )
  await indexed(bellhop, clock)
  expect(await found(ben, from.word)).toContain(from.id)
  for (const mail of later) {
    const [stored] = await bellhop.deps.database.read.select().from(mails).where(eq(mails.id, mail.id))
    expect(stored?.ticketId).toBe(into.id)
  }
}

/** To the old address, and with the old reference. */
async function answerByMail({ bellhop, ledger, random }: Made, { id, address, messageId }: MadeTicket) {
  const to = replyAddress(bellhop.deps.encryption, SUPPORT, id)
  const answers = []
  if (random(2) === 0)
    answers.push(mailOf({ from: address, to, subject: 'Re', headers: [], text: 'To the address' }))
  if (messageId && random(2) === 0) {
    const headers = [
      `Message-ID: <re.${createId('msg', Date.now())}@customer.test>`,
      `In-Reply-To: <${messageId}>`,
    ]
    answers.push(mailOf({ from: address, subject: 'Re', headers, text: 'With the reference' }))
  }
  const stored = []
  for (const raw of answers) stored.push(await ledger.fetched(raw))
  return stored
}

async function found(agent: SignedInAgent, query: string): Promise<string[]> {
  const { json } = await agent.call<{ data: { id: string }[] }>(
    'GET',
    `/console/tickets?q=${encodeURIComponent(query)}`,
  )
  return json.data.map(({ id }) => id)
}

/** What a merge adds, and what follows it. */
const OF_MOVES = [
  'moves',
  'moved_rows',
  'activities',
  'events',
  'deliveries',
  'ticket_counters',
  'organizations',
  'customers',
  'idempotency_keys',
]

/** Not compared: a merge that ends a snooze notifies its agent, and marks what no one can open anymore as seen. */
const OF_SNOOZES = '"reason":"snooze_ended"'

type Rows = Record<string, Record<string, unknown>[]>

async function rowsOf({ deps }: Bellhop, ids: string[]): Promise<Rows> {
  const all = await storedRows(deps)
  return Object.fromEntries(
    Object.entries(all)
      .filter(([table]) => !OF_MOVES.includes(table))
      .map(([table, rows]) => [
        table,
        rows
          .filter((row) => ids.some((id) => row.includes(id)) && !row.includes(OF_SNOOZES))
          .map((row) => JSON.parse(row)),
      ]),
  )
}

/** Without the messages that came since, what they and the merge change of a ticket, and when sends are tried. */
function withoutLater(rows: Rows, laterIds: string[], hasLater: boolean): Rows {
  const changing = ['version', 'updatedAt', ...(hasLater ? ['lastMessageAt', 'waitingOrder', 'status'] : [])]
  return Object.fromEntries(
    Object.entries(rows).map(([table, found]) => [
      table,
      found
        .filter((row) => !laterIds.some((id) => id !== '' && JSON.stringify(row).includes(id)))
        .map((row) => (/^ticket/.test(table) ? omit(row, changing) : omit(row, ['dueAt']))),
    ]),
  )
}

function omit(row: Record<string, unknown>, names: string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)))
}
