import type { Ticket } from './ticket-query.ts'

/** Where tickets come from. */
export const CHANNEL_NAMES: Record<Ticket['channel'], string> = {
  api: 'API',
  email: 'E-mail',
  telegram: 'Telegram',
  widget: 'Website widget',
}
