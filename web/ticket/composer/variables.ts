import { escapeMarkdown } from '../../../server/formatting/plain-text.ts'
import type { Ticket } from '../ticket-query.ts'

/** The variables of saved replies. */
export const VARIABLES = [
  'customer.firstName',
  'customer.name',
  'customer.email',
  'ticket.subject',
  'ticket.id',
  'agent.name',
  'organization.name',
] as const
export type Variable = (typeof VARIABLES)[number]

/** `{{customer.name}}` or, with a default for an empty value, `{{customer.firstName|there}}`. */
const VARIABLE = /\{\{\s*([^{}|]*?)\s*(?:\|\s*([^{}|]*?)\s*)?\}\}/g

/** Used for an empty value when the saved reply gives no default: "Hi there". */
const DEFAULTS: Partial<Record<Variable, string>> = { 'customer.firstName': 'there' }

/** The unknown variables of a text, as they are written. */
export function unknownIn(text: string): string[] {
  const isKnown = (name: string | undefined) => VARIABLES.some((known) => known === name)
  return [...text.matchAll(VARIABLE)].filter(([, name]) => !isKnown(name)).map(([whole]) => whole)
}

/** What the variables are filled in from. */
export interface FilledTicket extends Pick<Ticket, 'id' | 'subject'> {
  customer: Customer
}
type Customer = Pick<Ticket['customer'], 'name' | 'email'>
interface FilledSession {
  agent: { name: string }
  organization: { name: string }
}

/**
 * A saved reply with its variables filled in. An unknown one stays, for the agent to see. Formatting is the reply's only:
 * marks in a customer's name or subject stay as they are.
 */
export function fillIn(text: string, ticket: FilledTicket, session: FilledSession): string {
  const { customer } = ticket
  const values: Record<Variable, string> = {
    'customer.firstName': firstNameOf(customer),
    'customer.name': customer.name,
    'customer.email': customer.email ?? '',
    'ticket.subject': ticket.subject,
    'ticket.id': ticket.id,
    'agent.name': session.agent.name,
    'organization.name': session.organization.name,
  }
  return text.replace(VARIABLE, (whole, name: string, fallback = '') => {
    const variable = VARIABLES.find((known) => known === name)
    return variable ? escapeMarkdown(values[variable] || fallback || DEFAULTS[variable] || '') : whole
  })
}

/** Empty without a name: the server then makes one of the part of the email before the @, or of a visitor's number. */
function firstNameOf({ name, email }: Customer): string {
  const isMade = email ? email.slice(0, email.lastIndexOf('@')) === name : /^Visitor \d+$/.test(name)
  return isMade ? '' : (name.split(/\s+/)[0] ?? '')
}
