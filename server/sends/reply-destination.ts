import type { Reader, Transaction } from '../database/database.ts'
import { NO_RECIPIENT } from './plan-sends.ts'
import { findReceivingMailboxes, findUndoSeconds, type Mailbox } from './queries.ts'
import { type SuggestedRecipients, suggestRecipients } from './recipients.ts'
import { botLane, mailboxLane, reasonToWait } from './send-lanes.ts'
import type { TelegramWay } from './telegram/telegram-way.ts'
import { type UnreadRecipient, unreadRecipient } from './unread-recipient.ts'
import { NO_MAILBOX, type SendingTicket, type WayOut, wayOutOf } from './way-out.ts'

/**
 * `api`: the integration gets it by webhook. `widget`: the visitor's page shows it. `nothing`: the channel isn't
 * connected.
 */
export const REPLY_WAYS = ['api', 'email', 'widget', 'telegram', 'nothing'] as const
/** The reply fails, or waits until the mailbox or bot is connected again. */
export const PROBLEM_EFFECTS = ['fails', 'waits'] as const
/** What an administrator does about a mailbox or bot that is paused or refused. `sign_in`: at the mail provider. */
export const PROBLEM_FIXES = ['resume', 'reconnect', 'sign_in'] as const
/** Pages of settings. */
export const PROBLEM_SETTINGS = ['email', 'telegram', 'widget'] as const

/** Where a reply to a ticket goes, and by which mailbox or bot. */
export interface ReplyDestination {
  by: (typeof REPLY_WAYS)[number]
  /** How long its author can undo it before it is sent; 0 sends it at once. */
  undoSeconds: number
  mailbox?: { id: string; name: string; address: string }
  /** All that it can leave by, if there are several. */
  mailboxes?: MailboxChoice[]
  /** In Telegram, also when its bot was removed: the bot's user name, and the customer as Telegram shows them. */
  telegram?: { bot: string; name: string; username: string | null }
  /** In the widget: who gets it by email if they don't read it, or why no one does. */
  ifUnread?: UnreadRecipient
  /** By email, unless its author chooses others. */
  recipients?: SuggestedRecipients
  /** Why it can't leave. */
  problem?: ReplyProblem
}

interface MailboxChoice {
  id: string
  address: string
  /** Whether it received a mail of the ticket. */
  hasReceived: boolean
}

interface ReplyProblem {
  /** A sentence. */
  reason: string
  effect: (typeof PROBLEM_EFFECTS)[number]
  /** The settings page where an administrator can fix it. */
  setting?: (typeof PROBLEM_SETTINGS)[number]
  /** The mailbox or bot that messages wait for, and what ends that. */
  fix?: { id: string; by: (typeof PROBLEM_FIXES)[number] }
}

export async function readDestination(
  read: Reader,
  ticket: SendingTicket,
  customer: { name: string; email: string | null },
): Promise<ReplyDestination> {
  const destination = await whereTo(read, ticket, customer)
  return { ...destination, undoSeconds: await readUndoSeconds(read, ticket.orgId, destination.by) }
}

/** One that can't leave can be undone like an email. */
export async function readUndoSeconds(
  read: Reader | Transaction,
  orgId: string,
  by: ReplyDestination['by'],
): Promise<number> {
  const [settings] = await findUndoSeconds(read, { orgId })
  return settings?.[by === 'nothing' ? 'email' : by] ?? 0
}

type Destination = Omit<ReplyDestination, 'undoSeconds'>

async function whereTo(
  read: Reader,
  ticket: SendingTicket,
  customer: { name: string; email: string | null },
): Promise<Destination> {
  const way = await wayOutOf(read, ticket, customer)
  if (way.kind === 'none' && way.by === 'widget') {
    return { by: 'widget', ifUnread: await unreadRecipient(read, ticket, customer) }
  }
  if (way.kind === 'none') return { by: way.by }
  if (way.kind === 'missing') {
    const { reason, setting, chat } = way
    const problem = { reason, effect: 'fails' as const, setting }
    return { by: 'nothing', ...(chat && { telegram: viewChat(chat) }), problem }
  }
  if (way.kind === 'telegram') return byTelegram(way)
  const { mailbox, mailboxes, own } = way
  const { id: ticketId, orgId } = ticket
  const recipients = await suggestRecipients(read, { orgId, ticketId, customer, own })
  const destination = { by: 'email' as const, recipients }
  if (!mailbox) return { ...destination, problem: { reason: NO_MAILBOX, effect: 'fails', setting: 'email' } }
  const { id, name, address } = mailbox
  const choices = mailboxes.length > 1 ? await mailboxChoices(read, ticket, mailboxes) : undefined
  const through = {
    ...destination,
    mailbox: { id, name, address },
    ...(choices && { mailboxes: choices }),
  }
  const problem = mailboxProblem(mailbox)
  if (problem) return { ...through, problem }
  if (recipients.to.length > 0) return through
  return { ...through, problem: { reason: NO_RECIPIENT, effect: 'fails' } }
}

/** Why emails through this mailbox wait; undefined when they don't. */
export function mailboxProblem(
  mailbox: Pick<Mailbox, 'id' | 'address' | 'state' | 'signIn'>,
): ReplyProblem | undefined {
  const reason = reasonToWait(mailboxLane(mailbox))
  if (reason === undefined) return undefined
  const connect = mailbox.signIn === 'password' ? 'reconnect' : 'sign_in'
  const fix = { id: mailbox.id, by: mailbox.state === 'paused' ? ('resume' as const) : connect } as const
  return { reason, effect: 'waits', setting: 'email', fix }
}

async function mailboxChoices(
  read: Reader,
  { orgId, id: ticketId }: SendingTicket,
  mailboxes: Mailbox[],
): Promise<MailboxChoice[]> {
  const received = await findReceivingMailboxes(read, { orgId, ticketId })
  return mailboxes.map(({ id, address }) => ({
    id,
    address,
    hasReceived: received.some(({ mailboxId }) => mailboxId === id),
  }))
}

function byTelegram({ bot, chat }: WayOut & { kind: 'telegram' }): Destination {
  const { name, state } = chat
  const destination = { by: 'telegram' as const, telegram: viewChat({ bot, chat }) }
  const waits = reasonToWait(botLane(bot))
  if (waits !== undefined) {
    const fix = { id: bot.id, by: bot.state === 'paused' ? ('resume' as const) : ('reconnect' as const) }
    return { ...destination, problem: { reason: waits, effect: 'waits', setting: 'telegram', fix } }
  }
  if (state === 'active') return destination
  const did = state === 'deleted' ? 'deleted their Telegram account' : 'blocked the bot'
  return { ...destination, problem: { reason: `${name || 'The customer'} ${did}.`, effect: 'fails' } }
}

/** No user name is null. */
function viewChat({ bot, chat: { name, username } }: TelegramWay) {
  return { bot: `@${bot.username}`, name, username: username || null }
}
