import type { Ticket } from './ticket-data.ts'

/** Where tickets come from. */
export const CHANNEL_NAMES: Record<Ticket['channel'], string> = {
  api: 'API',
  email: 'E-mail',
  telegram: 'Telegram',
  widget: 'Website widget',
}
