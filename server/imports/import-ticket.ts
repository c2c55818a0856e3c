import { eq } from 'drizzle-orm'
import { attach } from '../attachments/bindings.ts'
import type { AddressWay } from '../channels/channel.ts'
import { type Customer, upsertCustomer } from '../customers/customers.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { insertOf, statement, text } from '../database/statement.ts'
import { agents } from '../database/tables/agents.ts'
import { notes } from '../database/tables/threads.ts'
import { PLACES, tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { AppError, type Fault, invalid } from '../errors.ts'
import { recordEvents } from '../events/events.ts'
import { saveMarks } from '../threads/read-marks.ts'
import { requireOutsideOf } from '../tickets/change-customer.ts'
import { moveCounters } from '../tickets/counters.ts'
import { requireTextOrFiles } from '../tickets/messages.ts'
import {
  insertMessages,
  insertTags,
  insertTickets,
  lockEnabledAgent,
  type Message,
  newMessage,
  type Ticket,
} from '../tickets/queries.ts'
import { cleanTags, unknownAgent } from '../tickets/update-ticket.ts'
import { waitingOrderOf } from '../tickets/waiting.ts'
import type { ImportedTicket } from './schemas.ts'

type ImportedMessage = ImportedTicket['messages'][number]

/** A message of the other system, and when it was written. */
type DatedMessage = ImportedMessage & { at: number }

/** What took the answers to the customer, as it does later ones. */
const SENT_BY = { api: 'webhook', email: 'email' } as const

/** Who imports, and what is read once for all their tickets. */
export interface Importer {
  /** Of the uploads. */
  uploader: string
  /** Shown with answers without an author. */
  name: string
  team: Team
  /** Addresses of the organization, which are no customer's. */
  own: AddressWay['own']
}

interface Agent {
  id: string
  name: string
  emailKey: string
  isReader: boolean
}

interface Team {
  of(idOrAddress: string): Agent | undefined
  /** Those who read tickets. */
  readers: Agent[]
}

/** The agents of an organization, also those who are disabled: they wrote messages. */
export async function readTeam(read: Reader, orgId: string): Promise<Team> {
  const rows = await read
    .select({
      id: agents.id,
      name: agents.name,
      emailKey: agents.emailKey,
      disabledAt: agents.disabledAt,
      role: agents.role,
    })
    .from(agents)
    .where(eq(agents.orgId, orgId))
  const all = rows.map(({ disabledAt, role, ...agent }) => ({
    ...agent,
    isReader: disabledAt === null && role !== 'program',
  }))
  const known = new Map(
    all.flatMap((agent) => [[agent.id, agent] as const, [agent.emailKey, agent] as const]),
  )
  return {
    of: (idOrAddress) => known.get(idOrAddress.trim()) ?? known.get(idOrAddress.trim().toLowerCase()),
    readers: all.filter(({ isReader }) => isReader),
  }
}

/**
 * Stores a ticket of another system with its messages, all or nothing. No one is told: no email, no notification, no
 * webhook of a new ticket or message, and no agent has it unread. One with the same external id is left as it is. Throws
 * 400 for what can't be stored.
 */
export async function importTicket(
  deps: Deps,
  orgId: string,
  sent: ImportedTicket,
  importer: Importer,
): Promise<{ id: string; isNew: boolean }> {
  const now = deps.clock.now()
  const createdAt = pastTime(sent.createdAt, '/createdAt', {
    now,
    since: 0,
    tooEarly: 'Must not be before 1970.',
  })
  const messages = datedMessages(sent.messages, { now, createdAt })
  const { externalId } = sent
  return deps.database.write(
    orgId,
    async (tx: Transaction, [known]: { id: string }[]) => {
      if (known) return { id: known.id, isNew: false }
      const assignedTo = await assigneeOf(tx, orgId, sent.assignedTo, importer.team)
      const { name, email } = sent.customer
      requireOutsideOf(importer.own, email, '/customer/email')
      // Old mail says nothing about the name of someone who is known.
      const given = { name, email, isNameVerified: false, createdAt }
      const customer = await upsertCustomer(deps, tx, orgId, given)
      const ticket = ticketOf(deps, { orgId, sent, messages, customer, assignedTo, createdAt })
      await insertTickets(tx, [ticket])
      await insertTags(
        tx,
        ticket.tags.map((tag) => ({ ...ticket, ticketId: ticket.id, tag })),
      )
      const stored = await storeMessages(deps, tx, ticket, {
        messages,
        channel: sent.channel,
        customer,
        importer,
      })
      await markAsRead(tx, ticket, stored, importer.team)
      recordEvents(deps, tx, orgId, [{ type: 'ticket.imported', ticketId: ticket.id, createdAt: now }])
      moveCounters(tx, orgId, [{ after: ticket }])
      return { id: ticket.id, isNew: true }
    },
    // One that is sent twice at once is found by the second try: its row can't be stored again.
    (tx) => ticketByExternalId(tx, { orgId, externalId }),
  )
}

/** Throws 400 for the first message that is before another one above it, in the future, or one of the others. */
function datedMessages(
  sent: ImportedMessage[],
  { now, createdAt }: { now: number; createdAt: number },
): DatedMessage[] {
  let since = createdAt
  const tooEarly = 'Must not be before the ticket or the message above it.'
  const externalIds = new Set<string>()
  return sent.map((message, place) => {
    const pointer = `/messages/${place}`
    within(pointer, () => requireTextOrFiles({ text: message.text, attachments: message.attachments ?? [] }))
    since = pastTime(message.createdAt, `${pointer}/createdAt`, { now, since, tooEarly })
    const { externalId } = message
    if (externalId !== undefined && externalIds.has(externalId)) {
      const detail = 'Another message of the ticket has this id.'
      throw invalid([{ pointer: `${pointer}/externalId`, code: 'not_allowed', detail }])
    }
    if (externalId !== undefined) externalIds.add(externalId)
    return { ...message, at: since }
  })
}

/** Throws 400 for a time that is in the future or before another one. */
function pastTime(
  given: string,
  pointer: string,
  { now, since, tooEarly }: { now: number; since: number; tooEarly: string },
): number {
  const at = Date.parse(given)
  if (at >= since && at <= now) return at
  const detail = at > now ? 'Must not be in the future.' : tooEarly
  throw invalid([{ pointer, code: 'not_allowed', detail }])
}

async function assigneeOf(
  tx: Transaction,
  orgId: string,
  wanted: string | null | undefined,
  team: Team,
): Promise<string> {
  if (!wanted) return ''
  const agent = team.of(wanted)
  const [enabled] = agent ? await lockEnabledAgent(tx, { orgId, id: agent.id }) : []
  if (!enabled) throw unknownAgent('/assignedTo', wanted)
  return enabled.id
}

interface NewTicket {
  orgId: string
  sent: ImportedTicket
  messages: DatedMessage[]
  customer: Customer
  assignedTo: string
  createdAt: number
}

/** Its times are those of its messages. */
function ticketOf(deps: Deps, { orgId, sent, messages, customer, assignedTo, createdAt }: NewTicket): Ticket {
  const { externalId, subject, status, channel, metadata = {} } = sent
  const said = messages.filter(({ role }) => role !== 'note')
  const lastMessageAt = said.at(-1)?.at ?? createdAt
  const answer = said.findLastIndex(({ role }) => role === 'agent')
  const question = status === 'resolved' ? undefined : said[answer + 1]
  return {
    id: deps.newId('tkt'),
    orgId,
    customerId: customer.id,
    status,
    channel,
    subject,
    assignedTo,
    tags: cleanTags(sent.tags ?? []),
    mailboxId: '',
    mergedInto: null,
    isSuggested: false,
    place: PLACES.inbox,
    version: 1,
    createdAt,
    updatedAt: messages.at(-1)?.at ?? createdAt,
    lastMessageAt,
    snoozedUntil: null,
    externalId,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
    waitingOrder: waitingOrderOf(question?.at, lastMessageAt),
  }
}

interface NewMessages {
  messages: DatedMessage[]
  channel: ImportedTicket['channel']
  customer: Customer
  importer: Importer
}

/** Returns the messages without the notes. */
async function storeMessages(
  deps: Deps,
  tx: Transaction,
  { orgId, id: ticketId }: Ticket,
  { messages, channel, customer, importer }: NewMessages,
): Promise<Message[]> {
  const stored: Message[] = []
  const storedNotes: (typeof notes.$inferSelect)[] = []
  const files: { ownerId: string; ids: string[]; pointer: string }[] = []
  for (const [place, message] of messages.entries()) {
    const { role, author, at: createdAt, format = 'plain', attachments: ids = [] } = message
    const id = deps.newId(role === 'note' ? 'not' : 'msg')
    if (ids.length > 0) files.push({ ownerId: id, ids, pointer: `/messages/${place}` })
    const written = {
      id,
      orgId,
      ticketId,
      text: message.text,
      format,
      attachmentCount: ids.length,
      createdAt,
    }
    const agent = author?.email === undefined ? undefined : importer.team.of(author.email)
    const agentName = author?.name ?? agent?.name ?? author?.email ?? importer.name
    const { externalId = null } = message
    if (role === 'note') {
      storedNotes.push({ ...written, agentId: agent?.id ?? '', agentName })
    } else if (role === 'agent') {
      const sent = {
        agentId: agent?.id ?? null,
        agentName,
        sending: 'sent' as const,
        sentBy: SENT_BY[channel],
      }
      stored.push(newMessage({ ...written, ...sent, role, externalId }))
    } else {
      stored.push(newMessage({ ...written, ...participantOf(author, customer), role, externalId }))
    }
  }
  await insertMessages(tx, stored)
  await insertNotes(tx, storedNotes)
  for (const { ownerId, ids, pointer } of files) {
    const uploads = { ids, uploader: importer.uploader }
    await withinUnit(pointer, () => attach(deps, tx, orgId, { ownerId, ticketId, files: { uploads } }))
  }
  return stored
}

/** Someone other than the customer who wrote a message. */
function participantOf(
  author: ImportedMessage['author'],
  customer: Customer,
): Partial<Pick<Message, 'author' | 'authorName'>> {
  const { email, name = email } = author ?? {}
  if (email === undefined || email.toLowerCase() === customer.email?.toLowerCase()) return {}
  return { author: 'participant', authorName: name ?? null }
}

/** Only a message of a customer is unread, and only for people. */
async function markAsRead(
  tx: Transaction,
  { orgId, id: ticketId }: Ticket,
  stored: Message[],
  { readers }: Team,
): Promise<void> {
  const last = stored.at(-1)
  if (last?.role !== 'customer') return
  const mark = { orgId, ticketId, messageId: last.id, messageAt: last.createdAt }
  await saveMarks(
    tx,
    readers.map(({ id: agentId }) => ({ ...mark, agentId })),
  )
}

/** Faults of a part of a ticket point to where it is in the ticket. */
function within(pointer: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    throw pointed(error, pointer)
  }
}

async function withinUnit<T>(pointer: string, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    throw pointed(error, pointer)
  }
}

function pointed(error: unknown, pointer: string): unknown {
  if (!(error instanceof AppError) || error.more.errors === undefined) return error
  return invalid(
    error.more.errors.map((fault): Fault => ({ ...fault, pointer: `${pointer}${fault.pointer}` })),
  )
}

const insertNotes = insertOf(notes)

const ticketByExternalId = statement(
  'import_ticket_by_external_id',
  { orgId: text, externalId: text },
  (tx: Transaction, p) =>
    tx
      .select({ id: tickets.id })
      .from(tickets)
      .where(matches(tickets, { orgId: p.orgId, externalId: p.externalId })),
)
