import { and, count, sql } from 'drizzle-orm'
import { attach, uploadCopies } from '../attachments/bindings.ts'
import type { Attachment } from '../attachments/queries.ts'
import type { AlsoSave, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { messages } from '../database/tables/messages.ts'
import { type SuggestionSource, suggestions } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'
import { AppError, invalid, notFound } from '../errors.ts'
import { readActors } from '../events/actors.ts'
import { recordEvents } from '../events/events.ts'
import { isId } from '../ids.ts'
import { requireNotMerged } from '../tickets/merged.ts'
import { requireTextOrFiles } from '../tickets/messages.ts'
import { requireTicket, type Ticket } from '../tickets/queries.ts'
import { findNewest, waitsForAnswer } from '../tickets/waiting.ts'
import { closeSome, saveIsSuggested } from './close-suggestions.ts'
import { findSuggestion, insertSuggestions, type Suggestion } from './queries.ts'

/** Of one author for one message: a program that answers to its own suggestions would go on forever. */
const MAX_FOR_MESSAGE = 20

interface NewSuggestion
  extends Pick<typeof suggestions.$inferSelect, 'ticketId' | 'text' | 'format' | 'answers'> {
  author: {
    /** Of the agent or the program, or else of the key. */
    byId: string
    /** Whose uploads the attachments are. */
    uploader: string
  }
  /** Ids of uploads. */
  attachments?: string[]
  sources?: SuggestionSource[]
  /** From 0 to 1. */
  confidence?: number | null
}

/** Which one, and who decides about it. */
interface Decision {
  ticketId: string
  id: string
}

/**
 * Suggests an answer for agents to decide about: nothing is sent. It replaces what the same author suggests for the ticket.
 * Throws 404, 400 for a message, an attachment, or a source that can't be named, 409 for a merged ticket, 409
 * `answered_since` when the customer has written since `answers`, or it was answered, and 409 after too many for one
 * message. `alsoSave` is in the same unit.
 */
export async function addSuggestion(
  deps: Deps,
  orgId: string,
  { ticketId, author, attachments: ids = [], sources = [], confidence = null, ...written }: NewSuggestion,
  alsoSave?: AlsoSave<Suggestion>,
): Promise<Suggestion> {
  const { byId, uploader } = author
  requireTextOrFiles({ text: written.text, attachments: ids })
  requireWebAddresses(sources)
  return deps.database.write(orgId, async (tx) => {
    const ticket = await requireTicket(tx, orgId, ticketId)
    requireNotMerged(ticket)
    await requireUnanswered(tx, ticket, written.answers)
    await requireFew(tx, { orgId, ticketId, byId, answers: written.answers })
    const replaced = ticket.isSuggested ? await openOf(tx, ticket, byId) : []
    const closed = await closeSome(
      deps,
      tx,
      ticket,
      replaced.map(({ id }) => ({ id, state: 'superseded' })),
    )
    const createdAt = deps.clock.now()
    const added = {
      ...written,
      id: deps.newId('sug'),
      orgId,
      ticketId,
      byId,
      attachmentCount: ids.length,
      sources,
      confidence,
      state: 'open' as const,
      usedBy: [],
      messageId: null,
      similarity: null,
      reason: '',
      createdAt,
      closedAt: null,
    }
    await insertSuggestions(tx, [added])
    const owner = { ownerId: added.id, ticketId }
    const attachments = await attach(deps, tx, orgId, { ...owner, files: { uploads: { ids, uploader } } })
    await saveIsSuggested(tx, { orgId, id: ticketId })
    const byOf = await readActors(tx, orgId, [byId])
    const made = { ...added, attachments, by: byOf(byId) }
    recordEvents(
      deps,
      tx,
      orgId,
      [...closed, { type: 'suggestion.added' as const, ticketId, messageId: added.id, createdAt }].map(
        (event) => ({ ...event, byId }),
      ),
    )
    await alsoSave?.(tx, made)
    return made
  })
}

/** Throws 400. */
function requireWebAddresses(sources: SuggestionSource[]): void {
  const faults = sources.flatMap(({ url }, place) => {
    const protocol = URL.parse(url)?.protocol
    if (protocol === 'https:' || protocol === 'http:') return []
    const detail = 'Must be an address that begins with https:// or http://.'
    return [{ pointer: `/sources/${place}/url`, code: 'invalid_format', detail }]
  })
  if (faults.length > 0) throw invalid(faults)
}

/** Throws 409 when the ticket was answered or its customer has written since, and 400 for what asks for no answer. */
async function requireUnanswered(
  tx: Transaction,
  { orgId, id: ticketId }: Ticket,
  id: string,
): Promise<void> {
  const [newest] = await findNewest(tx, { orgId, ticketId })
  if (newest?.role === 'agent') throw answeredSince('was answered', newest.id)
  if (newest?.id === id) return
  const { role, isAutomatic, author } = messages
  const [older] = await tx
    .select({ role, isAutomatic, author })
    .from(messages)
    .where(matches(messages, { orgId, ticketId, id }))
  if (newest && older && waitsForAnswer(older)) {
    throw answeredSince('has a newer message of its customer', newest.id)
  }
  const detail =
    "There is no message of a customer with this id in the ticket. Automatic ones and those of third parties don't count."
  throw invalid([{ pointer: '/answers', code: 'unknown_message', detail }])
}

function answeredSince(what: string, id: string): AppError {
  const detail = `The ticket ${what} since. Read it again before you suggest an answer.`
  return new AppError(409, 'answered_since', detail, { id })
}

/** Throws 409. */
async function requireFew(
  tx: Transaction,
  of: { orgId: string; ticketId: string; byId: string; answers: string },
): Promise<void> {
  const [made] = await tx.select({ number: count() }).from(suggestions).where(matches(suggestions, of))
  if (made && made.number < MAX_FOR_MESSAGE) return
  const detail = `You have suggested ${MAX_FOR_MESSAGE} answers to this message, the most that's allowed.`
  throw new AppError(409, 'too_many_suggestions', detail)
}

function openOf(tx: Transaction, { orgId, id: ticketId }: Ticket, byId: string) {
  return (
    tx
      .select({ id: suggestions.id })
      .from(suggestions)
      // Literally, for the partial index.
      .where(and(matches(suggestions, { orgId, ticketId, byId }), sql`state = 'open'`))
  )
}

/**
 * Takes back what one suggests oneself. Again, it changes nothing. Throws 404, also for another author's, and 409 when it is
 * closed otherwise.
 */
export async function withdrawSuggestion(
  deps: Deps,
  orgId: string,
  { byId, ...decision }: Decision & { byId: string },
): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const { ticket, suggestion } = await requireSuggestion(tx, orgId, decision)
    if (suggestion.byId !== byId) throw notFound('suggestion of yours')
    if (suggestion.state === 'withdrawn') return
    requireOpen(suggestion)
    recordEvents(
      deps,
      tx,
      orgId,
      await closeSome(deps, tx, ticket, [{ id: suggestion.id, state: 'withdrawn' }]),
    )
  })
}

/** An agent doesn't want it. The same again changes nothing. Throws 404, and 409 when it is closed otherwise. */
export async function dismissSuggestion(
  deps: Deps,
  orgId: string,
  { reason, ...decision }: Decision & { reason: string },
): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    const { ticket, suggestion } = await requireSuggestion(tx, orgId, decision)
    if (suggestion.state === 'rejected' && suggestion.reason === reason) return
    requireOpen(suggestion)
    recordEvents(
      deps,
      tx,
      orgId,
      await closeSome(deps, tx, ticket, [{ id: suggestion.id, state: 'rejected', reason }]),
    )
  })
}

/**
 * An agent takes it into their composer: the next message that they send on the ticket closes it. Nothing is sent. The
 * attachments are copies that are the agent's uploads. Throws 404, and 409 when it is closed.
 */
export async function useSuggestion(
  deps: Deps,
  orgId: string,
  { agentId, ...decision }: Decision & { agentId: string },
): Promise<Pick<Suggestion, 'text' | 'format' | 'attachments'>> {
  return deps.database.write(orgId, async (tx) => {
    const { suggestion } = await requireSuggestion(tx, orgId, decision)
    requireOpen(suggestion)
    const { id, ticketId, text, format, attachmentCount } = suggestion
    const own = matches(suggestions, { orgId, id })
    const usedBy = [...suggestion.usedBy.filter((one) => one !== agentId), agentId]
    await tx.update(suggestions).set({ usedBy }).where(own)
    const createdAt = deps.clock.now()
    recordEvents(deps, tx, orgId, [{ type: 'suggestion.used', ticketId, createdAt }])
    const copied = { ownerId: id, agentId }
    const attachments: Attachment[] = attachmentCount === 0 ? [] : await uploadCopies(deps, tx, orgId, copied)
    return { text, format, attachments }
  })
}

/** Locks the ticket's row. Throws 404. */
async function requireSuggestion(tx: Transaction, orgId: string, { ticketId, id }: Decision) {
  const ticket = await requireTicket(tx, orgId, ticketId)
  const suggestion = isId('sug', id) ? await findSuggestion(tx, { orgId, ticketId, id }) : undefined
  if (!suggestion) throw notFound('suggestion')
  return { ticket, suggestion }
}

function requireOpen({ state }: Pick<Suggestion, 'state'>): void {
  if (state === 'open') return
  throw new AppError(409, 'suggestion_closed', `The suggestion is closed: ${state}.`)
}
