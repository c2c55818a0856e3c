import type { SessionData } from '../session.tsx'
import type { Ticket } from './ticket-data.ts'

/** `{{customer.name}}`, with or without spaces inside. */
const VARIABLE = /\{\{\s*([a-zA-Z.]+)\s*\}\}/g

/** A saved reply with its variables filled in. One that is not known stays as it is, for the agent to see. */
export function fillIn(text: string, ticket: Ticket, session: SessionData): string {
  const { customer } = ticket
  const values = new Map([
    ['customer.name', customer.name],
    ['customer.firstName', customer.name.split(/\s+/)[0] ?? customer.name],
    ['customer.email', customer.email ?? ''],
    ['agent.name', session.agent.name],
    ['ticket.id', ticket.id],
    ['ticket.subject', ticket.subject],
    ['organization.name', session.organization.name],
  ])
  return text.replace(VARIABLE, (whole, name: string) => values.get(name) ?? whole)
}
