import type { NewWidget } from '../channels/widget/widgets/widget-rows.ts'
import type { PersonRole } from '../database/tables/agents.ts'
import type { DraftKind, SuggestionSource } from '../database/tables/threads.ts'

interface Person {
  name: string
  email: string
  role: PersonRole
}

/** What the browser of a visitor says. */
interface VisitorPage {
  pageUrl: string
  pageTitle: string
  browser: string
  language: string
  timeZone: string
  address: string
}

declare const company: {
  organization: string
  /** The visitor of the demo signs in as the first one. */
  agents: Person[]
  invited: Person
  mailbox: { name: string; address: string; signature: string }
  /** Why replies by email did not arrive. */
  emailFaults: { refused: string[]; bounced: string }
  telegramFault: string
  bot: { name: string; username: string; greeting: string }
  widget: NewWidget & {
    /** Where signed-in customers were last, and with what. */
    pages: VisitorPage[]
    /** Conversations of visitors who have not signed in. */
    chats: {
      subject: string
      minutesAgo: number
      text: string
      answer?: string
      visitor: VisitorPage & { typedName?: string; typedEmail?: string; fields?: Record<string, string> }
    }[]
  }
  program: {
    name: string
    /** To the newest message of the customer, in the ticket whose subject begins like this. */
    suggestions: {
      subject: string
      text: string
      sources: SuggestionSource[]
      confidence: number
    }[]
  }
  savedReplies: { name: string; text: string }[]
  savedViews: { name: string; query: string; isShared: boolean }[]
  /** On one ticket each. */
  drafts: Partial<Record<DraftKind, string>>[]
  /** Notes in which colleagues mention the agent who signs in, without the mention. */
  mentions: string[]
  /** Of tickets of the agent who signs in. */
  snoozes: { why: string; days: number }[]
  shops: string[]
  /** What the agents know of the customers with an address of the domain. */
  contacts: { domain: string; company: string; phone: string }[]
  cities: string[]
  carriers: string[]
  /** Names by the part of the address before the `@`. */
  customers: Record<string, string>
}
export default company
