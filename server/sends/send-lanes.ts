import { eq, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { bots } from '../database/tables/bots.ts'
import { mailboxes } from '../database/tables/mailboxes.ts'
import type { SendChannel } from '../database/tables/sends.ts'
import { isId } from '../ids.ts'

type MailboxState = (typeof mailboxes.$inferSelect)['state']
type BotState = (typeof bots.$inferSelect)['state']

/** The state that decides whether messages can be sent now. */
interface LaneState {
  channel: SendChannel
  /** As a sentence names it: `mailbox support@acme.example`. */
  label: string
  state: MailboxState | BotState
}

/** A mailbox or bot that messages are sent through. */
export interface Lane extends LaneState {
  id: string
  orgId: string
  sendError: string
  receiveFailingSince: number | null
  deletedAt: number | null
  updatedAt: number
}

export function channelOf(laneId: string): SendChannel {
  return isId('bot', laneId) ? 'telegram' : 'email'
}

/** The mailbox or bot with this id, also when it was removed. */
export async function findLane(read: Reader | Transaction, id: string): Promise<Lane | undefined> {
  if (channelOf(id) === 'telegram') {
    const [bot] = await findBotLane(read, { id })
    return bot && { ...bot, ...botLane(bot) }
  }
  const [mailbox] = await findMailboxLane(read, { id })
  return mailbox && { ...mailbox, ...mailboxLane(mailbox) }
}

export function mailboxLane({ address, state }: { address: string; state: MailboxState }): LaneState {
  return { channel: 'email', label: `mailbox ${address}`, state }
}

export function botLane({ username, state }: { username: string; state: BotState }): LaneState {
  return { channel: 'telegram', label: `bot @${username}`, state }
}

/** The one sentence for a paused mailbox or bot. */
export function pausedSentence({ label }: Pick<LaneState, 'label'>): string {
  return `The ${label} is paused.`
}

/** Why messages wait; undefined when they don't. A bot whose messages another program fetches can still send. */
export function reasonToWait({ channel, label, state }: LaneState): string | undefined {
  switch (state) {
    case 'active':
    case 'taken':
      return undefined
    case 'paused':
      return pausedSentence({ label })
    case 'refused':
      return channel === 'email'
        ? `Sign-in to the ${label} was refused. An administrator has to reconnect it.`
        : `Telegram refused the token of the ${label}. An administrator has to enter the current one.`
  }
}

/** A change of a mailbox or bot, which locks its row: do it after everything that locks the organization's. */
export interface HealthChange {
  /** Whether pages show the difference. */
  isVisible: boolean
  save(tx: Transaction): Promise<void>
}

/** Records that a lane sends. */
export function sentThrough(lane: Lane, now: number): HealthChange {
  const isMended = lane.sendError !== ''
  const change = {
    lastSentAt: now,
    ...(isMended && { sendError: '', sendFailingSince: null }),
    ...(isMended && lane.receiveFailingSince === null && { alertedAt: null }),
  }
  return { isVisible: isMended, save: (tx) => saveHealth(tx, lane, change) }
}

/**
 * Records that a lane can't send. After a refused sign-in, nothing is tried until someone reconnects it, unless it was
 * changed after the attempt started. Only an active lane can be failing: failures while it is paused aren't recorded.
 */
export function failedThrough(
  lane: Lane,
  { error, isRefused, startedAt, now }: { error: string; isRefused: boolean; startedAt: number; now: number },
): HealthChange | undefined {
  if (reasonToWait(lane) !== undefined) return undefined
  const stops = isRefused && lane.updatedAt <= startedAt
  const change = {
    sendError: error,
    sendFailingSince: sql<number>`coalesce(send_failing_since, ${now})`,
    ...(stops && { state: 'refused' as const, updatedAt: now }),
  }
  return { isVisible: lane.sendError === '' || stops, save: (tx) => saveHealth(tx, lane, change) }
}

interface Health {
  lastSentAt?: number
  sendError?: string
  sendFailingSince?: ReturnType<typeof sql<number>> | null
  alertedAt?: null
  state?: 'refused'
  updatedAt?: number
}

async function saveHealth(tx: Transaction, { channel, id }: Lane, change: Health): Promise<void> {
  if (channel === 'email') await tx.update(mailboxes).set(change).where(eq(mailboxes.id, id))
  else await tx.update(bots).set(change).where(eq(bots.id, id))
}

const findMailboxLane = statement<
  { id: string },
  (Omit<Lane, keyof LaneState> & { address: string; state: MailboxState })[],
  Reader | Transaction
>('sends_mailbox_lane', (read, p) =>
  read
    .select({
      id: mailboxes.id,
      orgId: mailboxes.orgId,
      address: mailboxes.address,
      state: mailboxes.state,
      sendError: mailboxes.sendError,
      receiveFailingSince: mailboxes.receiveFailingSince,
      deletedAt: mailboxes.deletedAt,
      updatedAt: mailboxes.updatedAt,
    })
    .from(mailboxes)
    .where(eq(mailboxes.id, p.id)),
)

const findBotLane = statement<
  { id: string },
  (Omit<Lane, keyof LaneState> & { username: string; state: BotState })[],
  Reader | Transaction
>('sends_bot_lane', (read, p) =>
  read
    .select({
      id: bots.id,
      orgId: bots.orgId,
      username: bots.username,
      state: bots.state,
      sendError: bots.sendError,
      receiveFailingSince: bots.receiveFailingSince,
      deletedAt: bots.deletedAt,
      updatedAt: bots.updatedAt,
    })
    .from(bots)
    .where(eq(bots.id, p.id)),
)
