import type { Tone } from '../../ui/badge.tsx'
import type { TicketStatus } from '../ticket-query.ts'

/** How each status is called and coloured. */
export const STATUSES: Record<TicketStatus, { name: string; tone: Tone }> = {
  open: { name: 'Open', tone: 'green' },
  pending: { name: 'Pending', tone: 'amber' },
  resolved: { name: 'Resolved', tone: 'grey' },
}
