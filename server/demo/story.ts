import type { Channel, TicketStatus } from '../database/tables/tickets.ts'

/** One message or note. One of the texts is picked, and slots such as `{order}` are filled in. */
export interface Turn {
  by: 'customer' | 'agent' | 'note'
  texts: string[]
}

/** A conversation, used for several tickets. */
export interface Story {
  subjects: string[]
  tags: string[]
  /** All channels by default. */
  channels?: Channel[]
  /** Customers by the first part of their address; any customer by default. */
  from?: string[]
  turns: Turn[]
  /** The status after the last turn. */
  end: TicketStatus
}

export const customer = (...texts: string[]): Turn => ({ by: 'customer', texts })
export const agent = (...texts: string[]): Turn => ({ by: 'agent', texts })
export const note = (...texts: string[]): Turn => ({ by: 'note', texts })
