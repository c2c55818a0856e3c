import type { Channel, TicketStatus } from '../database/tables/tickets.ts'

/** A line of a conversation. Of several texts one is told; slots such as `{order}` are filled in. */
export interface Turn {
  by: 'customer' | 'agent' | 'note'
  texts: string[]
}

/** A conversation that could happen any day. */
export interface Story {
  subjects: string[]
  tags: string[]
  /** All of them when absent. */
  channels?: Channel[]
  /** Who writes so, by the first part of the address. Anybody when absent. */
  from?: string[]
  turns: Turn[]
  /** How it stands behind the last turn. */
  end: TicketStatus
}

export const customer = (...texts: string[]): Turn => ({ by: 'customer', texts })
export const agent = (...texts: string[]): Turn => ({ by: 'agent', texts })
export const note = (...texts: string[]): Turn => ({ by: 'note', texts })
