import type { ChannelKind } from '../channels/kinds.ts'
import type { TicketStatus } from '../database/tables/tickets.ts'
import type { DemoFileName } from './files.ts'

/** A conversation, used for several tickets. */
export interface Story {
  subjects: string[]
  tags: string[]
  /** All channels by default. */
  channels?: ChannelKind[]
  /** Customers by the first part of their address; any customer by default. */
  from?: string[]
  turns: Turn[]
  /** The status after the last turn. */
  end: TicketStatus
  /** Used once, in full, with the agent who signs in. The last turn is this many hours ago. */
  endedHoursAgo?: number
}

/** One message or note. One of the texts is picked, and slots such as `{order}` are filled in. */
export interface Turn {
  by: 'customer' | 'agent' | 'note'
  texts: string[]
  /** What a mail has beside the text. */
  mail?: MailDetails
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

/** The part before the `@`; the rest is the customer's domain. */
interface Contact {
  name: string
  address: string
}

declare const stories: Story[]
export default stories
