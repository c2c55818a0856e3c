import type { Ticket } from '../ticket-query.ts'

/** Where a reply goes: said above the field before anything is sent. */
export function destinationOf({ channel, customer }: Ticket): string {
  if (channel === 'email') return `E-mail to ${customer.email ?? customer.name}`
  if (channel === 'widget') return 'Widget chat'
  if (channel === 'telegram') return 'Telegram'
  return 'API: your integration gets it as message.sent'
}
