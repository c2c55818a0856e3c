import type { SessionData } from '../../api/session.ts'
import type { Variable } from '../../ticket/composer/variables.ts'

/** The names of the variables, on their buttons. */
export const LABELS: Record<Variable, string> = {
  'customer.firstName': 'First name',
  'customer.name': 'Customer name',
  'customer.email': 'Customer email',
  'ticket.subject': 'Subject',
  'ticket.id': 'Ticket ID',
  'agent.name': 'Your name',
  'organization.name': 'Organization',
}

/** A sample customer and ticket for the preview. */
export function sampleValues({ agent, organization }: SessionData): Record<Variable, string> {
  return {
    'customer.firstName': 'Maya',
    'customer.name': 'Maya Lindgren',
    'customer.email': 'maya@example.com',
    'ticket.subject': 'Missing invoice',
    'ticket.id': 'tkt_01m7yggb08e14a59wse62r3t6t',
    'agent.name': agent.name,
    'organization.name': organization.name,
  }
}
