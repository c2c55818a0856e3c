import type { Channel, TicketStatus } from '../database/tables/tickets.ts'
import type { DemoFileName } from './demo-files.ts'

/** One message or note. One of the texts is picked, and slots such as `{order}` are filled in. */
export interface Turn {
  by: 'customer' | 'agent' | 'note'
  texts: string[]
  /** What a mail has beside the text. */
  mail?: MailDetails
}

/** The part before the `@`; the rest is the customer's domain. */
interface Contact {
  name: string
  address: string
}

export interface MailDetails {
  html?: string
  files?: DemoFileName[]
  /** Shown by the HTML as `cid:` and the name. */
  inline?: DemoFileName[]
  cc?: Contact[]
  /** Who wrote it, if not the customer. */
  from?: Contact
  isAutomatic?: boolean
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
  /** Used once, in full, with the agent who signs in. The last turn is this many hours ago. */
  endedHoursAgo?: number
}

export const customer = (...texts: string[]): Turn => ({ by: 'customer', texts })
export const agent = (...texts: string[]): Turn => ({ by: 'agent', texts })
export const note = (...texts: string[]): Turn => ({ by: 'note', texts })
