import type { Ticket } from './ticket-query.ts'

type Channel = Ticket['channel']

/** Where tickets come from. */
export const CHANNEL_NAMES: Record<Channel, string> = {
  api: 'API',
  email: 'Email',
  telegram: 'Telegram',
  widget: 'Website widget',
}
