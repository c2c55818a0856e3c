import type { Reader, Transaction } from '../database/database.ts'
import type { Channel } from '../database/tables/tickets.ts'
import { type OwnAddresses, ownAddresses } from './email-addresses.ts'
import { findActiveWidget, findEmailSettings, findMailboxes, type Mailbox } from './queries.ts'
import { findTelegramWay, type TelegramWay } from './telegram/telegram-way.ts'

/** The part of a ticket that decides how its messages are sent. */
export interface SendingTicket {
  id: string
  orgId: string
  channel: Channel
  subject: string
  /** Empty for none. */
  mailboxId: string
}

/** How the messages of agents are sent. */
export type WayOut =
  /** They aren't sent: the integration receives them by webhook, or the visitor's page shows them. */
  | { kind: 'none'; by: 'api' | 'widget' }
  | {
      kind: 'email'
      mailbox: Mailbox | undefined
      /** All that are connected. */
      mailboxes: Mailbox[]
      own: OwnAddresses
    }
  | ({ kind: 'telegram' } & TelegramWay)
  /** The channel isn't connected. `chat` is that of a bot that was removed. */
  | { kind: 'missing'; reason: string; setting: 'telegram' | 'widget'; chat?: TelegramWay | undefined }

export const NO_MAILBOX = 'No mailbox is connected.'
const NOT_CONNECTED: Record<'telegram' | 'widget', string> = {
  telegram: 'No Telegram bot is connected.',
  widget: 'The website widget is not connected.',
}

/** How a ticket's messages are sent. By email: through the mailbox that received the ticket, else the default one. */
export async function wayOutOf(
  read: Reader | Transaction,
  { id, orgId, channel, mailboxId }: Pick<SendingTicket, 'id' | 'orgId' | 'channel' | 'mailboxId'>,
  customer: { email: string | null },
): Promise<WayOut> {
  switch (channel) {
    case 'email':
      return emailWay(read, orgId, mailboxId)
    case 'api':
      if (customer.email === null || !(await emailsApiTickets(read, orgId)))
        return { kind: 'none', by: 'api' }
      return emailWay(read, orgId, mailboxId)
    case 'widget': {
      // The visitor has continued in Telegram.
      const chat = await findTelegramWay(read, { orgId, ticketId: id })
      if (chat && chat.bot.deletedAt === null) return { kind: 'telegram', ...chat }
      const [active] = await findActiveWidget(read, { orgId, ticketId: id })
      if (active) return { kind: 'none', by: 'widget' }
      const way = customer.email === null ? undefined : await emailWay(read, orgId, mailboxId)
      if (way?.mailbox) return way
      return { kind: 'missing', reason: NOT_CONNECTED[channel], setting: channel }
    }
    case 'telegram': {
      const chat = await findTelegramWay(read, { orgId, ticketId: id })
      if (chat && chat.bot.deletedAt === null) return { kind: 'telegram', ...chat }
      const reason = chat ? `The bot @${chat.bot.username} was removed.` : NOT_CONNECTED[channel]
      return { kind: 'missing', reason, setting: channel, chat }
    }
  }
}

/** By email, whatever the channel of the ticket. */
export async function emailWay(
  read: Reader | Transaction,
  orgId: string,
  mailboxId: string,
): Promise<WayOut & { kind: 'email' }> {
  const mailboxes = await findMailboxes(read, { orgId })
  const mailbox =
    mailboxes.find(({ id }) => id === mailboxId) ??
    mailboxes.find(({ isDefault }) => isDefault) ??
    mailboxes[0]
  return { kind: 'email', mailbox, mailboxes, own: ownAddresses(mailboxes) }
}

async function emailsApiTickets(read: Reader | Transaction, orgId: string): Promise<boolean> {
  const [settings] = await findEmailSettings(read, { orgId })
  return settings?.emailsApiTickets ?? false
}
