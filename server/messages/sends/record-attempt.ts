import { eq } from 'drizzle-orm'
import type { AttemptResult, Send } from '../../channels/channel.ts'
import { addressKey } from '../../customers/email-addresses.ts'
import type { Transaction } from '../../database/database.ts'
import { command, statement, text, updateOf } from '../../database/statement.ts'
import { messages, type SendingState } from '../../database/tables/messages.ts'
import { type RecipientOutcome, type SendState, sends } from '../../database/tables/sends.ts'
import type { Deps } from '../../deps.ts'
import { nextTryAt } from './send-schedule.ts'

/** A finished attempt for these recipients. */
export interface FinishedAttempt {
  send: Send
  recipients: string[]
  result: AttemptResult
}

const MESSAGE_STATES: Record<SendState, SendingState> = {
  waiting: 'queued',
  sending: 'sending',
  sent: 'sent',
  failed: 'failed',
  bounced: 'bounced',
}

/**
 * Records an attempt and the next step: another attempt for the recipients without a final outcome, or the end. Changes
 * nothing if the send is no longer being sent, because its ticket was deleted. Returns the send as it is now.
 */
export async function recordAttempt(
  { channels }: Pick<Deps, 'channels'>,
  tx: Transaction,
  { send, recipients, result }: FinishedAttempt,
  now: number,
): Promise<Send | undefined> {
  const [stored] = await findSend(tx, { id: send.id })
  if (stored?.state !== 'sending' && stored?.state !== 'waiting') return undefined
  const outcomes = merged(stored.outcomes, result.outcomes)
  const open = openRecipients(recipients, outcomes)
  const externalId = result.externalId?.replace(/^<|>$/g, '') ?? stored.externalId
  const progress = { ...stored, outcomes, externalId }
  const delays = channels.sending(stored.channel).firstDelaysMs
  return saveProgress(tx, nextProgress(progress, { open, result, delays, now }))
}

/** Fails a send for all recipients without an outcome, with this reason. */
export async function failSend(tx: Transaction, send: Send, open: string[], reason: string, now: number) {
  await saveProgress(tx, finished({ ...send, outcomes: [...send.outcomes, ...failures(open, reason)] }, now))
}

/** Saves a send, and its summary with the message. */
export async function saveProgress(tx: Transaction, send: Send): Promise<Send> {
  const { id, messageId, state, error, finishedAt } = send
  // Greetings and notices aren't kept after they end.
  if (messageId === null && finishedAt !== null) {
    await deleteSend(tx, { id })
    return send
  }
  await updateSend(tx, send)
  if (messageId === null) return send
  // A message that the customer no longer sees isn't shown as sent.
  const sending = state === 'sent' && isDeletion(send) ? null : MESSAGE_STATES[state]
  await updateMessage(tx, { id: messageId, sending, sendError: error || null })
  if (state === 'failed' && isDeletion(send)) await showAgain(tx, { id: messageId })
  return send
}

/** Whether an agent takes a message back with it, after the customer got it. */
export function isDeletion({ content }: Pick<Send, 'content'>): boolean {
  return content.action === 'delete'
}

/** Recipients without an outcome. */
export function openRecipients(recipients: string[], outcomes: RecipientOutcome[]): string[] {
  const known = new Set(outcomes.map(({ address }) => addressKey(address)))
  return recipients.filter((address) => !known.has(addressKey(address)))
}

/** The state of a send whose recipients all have an outcome. Those who got it count; the others are named. */
export function finished(send: Send, now: number): Send {
  const states = send.outcomes.map(({ state }) => state)
  const state = states.includes('bounced') ? 'bounced' : states.includes('sent') ? 'sent' : 'failed'
  return { ...send, state, error: summary(send.outcomes), finishedAt: now }
}

function nextProgress(
  send: Send,
  of: { open: string[]; result: AttemptResult; delays: readonly number[]; now: number },
): Send {
  const { open, delays, now } = of
  const { error, fault, retryAt } = of.result
  if (open.length === 0) return finished({ ...send, attempts: send.attempts + 1 }, now)
  // Such sends continue when the mailbox is connected again. The loop lets them wait until then.
  if (fault === 'interrupted' || fault === 'sign in') return { ...send, state: 'waiting', error }
  // At least 1: it is a retry, and keeps its delay when the clock jumps.
  if (retryAt !== undefined) {
    return { ...send, state: 'waiting', attempts: Math.max(send.attempts, 1), dueAt: retryAt, error }
  }
  const attempts = send.attempts + 1
  const dueAt = nextTryAt(delays, attempts, now)
  if (dueAt !== null) return { ...send, state: 'waiting', attempts, dueAt, error }
  return finished({ ...send, attempts, outcomes: [...send.outcomes, ...failures(open, error)] }, now)
}

function failures(recipients: string[], detail: string): RecipientOutcome[] {
  return recipients.map((address) => ({ address, state: 'failed', detail }))
}

/** Known outcomes stay: a bounce can arrive while the others are tried again. */
function merged(known: RecipientOutcome[], added: RecipientOutcome[]): RecipientOutcome[] {
  const open = new Set(
    openRecipients(
      added.map(({ address }) => address),
      known,
    ),
  )
  return [...known, ...added.filter(({ address }) => open.has(address))]
}

/** Why it didn't reach everyone. Each reason is listed once, with the recipients if not all are affected. */
function summary(outcomes: RecipientOutcome[]): string {
  const missed = outcomes.filter(({ state }) => state !== 'sent')
  const byReason = Map.groupBy(missed, ({ detail }) => detail)
  if (byReason.size === 1 && missed.length === outcomes.length) return missed[0]?.detail ?? ''
  return [...byReason]
    .map(([detail, those]) => `${those.map(({ address }) => address).join(', ')}: ${detail}`)
    .join(' ')
}

const findSend = statement('sends_find', { id: text }, (tx, p) =>
  tx.select().from(sends).where(eq(sends.id, p.id)),
)

const updateSend = updateOf('sends_update', sends, {
  set: ['state', 'dueAt', 'attempts', 'externalId', 'error', 'outcomes', 'finishedAt'],
  by: ['id'],
})

const deleteSend = command('sends_delete', { id: text }, (tx, p) =>
  tx.delete(sends).where(eq(sends.id, p.id)),
)

/** The deletion failed, so the customer still sees the message. */
const showAgain = command('sends_show_again', { id: text }, (tx, p) =>
  tx.update(messages).set({ takenBackAt: null, isRemovalShown: false }).where(eq(messages.id, p.id)),
)

const updateMessage = updateOf('sends_update_message', messages, {
  set: ['sending', 'sendError'],
  by: ['id'],
})
