import type { SessionData } from '../../api/session.ts'
import type { Variable } from '../../ticket/composer/variables.ts'

/** What the variables of saved replies are called on their buttons. */
export const LABELS: Record<Variable, string> = {
  'customer.firstName': 'First name',
  'customer.name': 'Customer',
  'customer.email': 'Their e-mail',
  'ticket.subject': 'Subject',
  'ticket.id': 'Ticket id',
  'agent.name': 'Your name',
  'organization.name': 'Organization',
}

/** Somebody and a ticket to preview a saved reply on. */
export function sampleValues({ agent, organization }: SessionData): Record<Variable, string> {
  return {
    'customer.firstName': 'Ana',
    'customer.name': 'Ana Pires',
    'customer.email': 'ana@example.com',
    'ticket.subject': 'Missing invoice',
    'ticket.id': 'tkt_01m7yggb08e14a59wse62r3t6t',
    'agent.name': agent.name,
    'organization.name': organization.name,
  }
}
