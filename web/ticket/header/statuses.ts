import type { Tone } from '../../ui/badge.tsx'
import type { TicketStatus } from '../ticket-query.ts'

/** The name and color of each status. */
export const STATUSES: Record<TicketStatus, { name: string; tone: Tone }> = {
  open: { name: 'Open', tone: 'green' },
  pending: { name: 'Pending', tone: 'amber' },
  resolved: { name: 'Resolved', tone: 'grey' },
}
