import type { SQL } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import type { Attachment } from '../attachments/queries.ts'
import type { Reader, Transaction } from '../database/database.ts'
import type {
  EmailAddress,
  MessageEmail,
  MessageFormat,
  messages,
  SendingState,
} from '../database/tables/messages.ts'
import type { Recipients } from '../database/tables/scheduled-messages.ts'
import type { RecipientOutcome, sends } from '../database/tables/sends.ts'
import type { Deps } from '../deps.ts'
import type { Loop } from '../loop.ts'
import type { ChannelKind, SentBy } from './kinds.ts'

// What a channel is to the rest of the program, which knows none by name. To add one: give it a kind in `kinds.ts`, a folder
// beside `email`, `telegram` and `widget` with an object of the type `Channel`, and a place in the list of `registry.ts`.
// test/support/folder-channel is a small, complete one.

declare module '../deps.ts' {
  interface Deps {
    channels: Channels
  }
}

export interface Channels {
  readonly all: readonly Channel[]
  /** Tables of the mailboxes and bots of all channels. */
  readonly accounts: PgTable[]
  of(kind: ChannelKind): Channel
  /** How a channel sends. Throws for one that Bellhop doesn't send through. */
  sending(kind: ChannelKind): Sending
  /** The channel that reaches people by their email address, whatever the channel of their ticket. */
  readonly byAddress: AddressChannel
}

export interface Channel {
  readonly kind: ChannelKind
  /** As in `only messages in the widget can be taken back`. */
  readonly name: string
  /** Whether an address is all that identifies its customers, so that an agent can name another one. */
  readonly isByAddress: boolean
  /** How the messages of agents leave on a ticket of this channel. */
  way(deps: Deps, read: Reader | Transaction, ticket: SendingTicket, customer: Contact): Promise<Way>
  /** Its customers can go on with a ticket on another channel. */
  readonly canContinueElsewhere?: boolean
  /** How messages leave on a ticket of another channel that its customer has continued on this one. */
  continuedWay?(read: Reader | Transaction, ticket: SendingTicket): Promise<Way | undefined>
  /** How long an agent can undo a reply. */
  undoSeconds(read: Reader | Transaction, orgId: string): Promise<number>
  /** Only for a channel that Bellhop sends through itself. */
  readonly sending?: Sending
  /** What an agent can do with messages of this channel after they left. */
  readonly changes?: Changes
  /** Whether a page of ours shows an agent's message to the customer, and whether they have seen it. */
  shown?(tx: Transaction, message: SentMessage): Promise<{ isSeen: boolean } | undefined>
  /** Whether the same person reads all of these tickets of a customer, each on a page of ours. By default it is so. */
  isOneReader?(read: Reader | Transaction, of: { orgId: string; ticketIds: string[] }): Promise<boolean>
  readonly erasure?: Erasure
  /** What it stores of single messages. When a message goes to another ticket, its rows do too. */
  readonly rowsOfMessages?: readonly RowsOfMessages[]
  /** What it stores of customers. When one is merged into another, their rows are the other's. */
  readonly rowsOfCustomers?: readonly RowsOfCustomers[]
  /** The rows of its mailboxes or bots: a commit of one may start or stop what runs. */
  readonly accounts?: PgTable
  /** Whether it has to be started. By default, once one of its accounts is connected. */
  isUsed?(deps: Deps): Promise<boolean>
  /** Starts receiving. Called once, when it is used; loads the rest of the channel. */
  start?(deps: Deps, live: LiveTyping): Promise<Pick<Loop, 'stop'>>
}

/** A table whose rows belong to a message of a ticket. */
type RowsOfMessages = PgTable & Record<'orgId' | 'ticketId' | 'messageId', PgColumn>

/** A table whose rows belong to a customer. `key` tells the rows of an organization apart. */
export interface RowsOfCustomers {
  name: string
  table: PgTable & Record<'orgId' | 'customerId', PgColumn>
  key: SQL<string>
}

/** What a channel stores about tickets and customers beside the rows that all channels share. */
export interface Erasure {
  /** Deletes it for tickets that are being erased, whose rows are locked. */
  tickets(tx: Transaction, of: { orgId: string; ticketIds: string[] }): Promise<void>
  /** Locks rows of a customer, before the customer and the tickets are locked. */
  lockCustomer?(tx: Transaction, of: { orgId: string; customerId: string }): Promise<void>
  /** Deletes it for a customer, just before the customer is deleted. */
  customer(
    tx: Transaction,
    of: { orgId: string; customerId: string; emails: string[]; externalIds: string[] },
  ): Promise<void>
}

/** Tells when an agent types a reply. */
export interface LiveTyping {
  onTyping(show: (orgId: string, ticketId: string) => void): () => void
}

/** The email channel: the only way out to someone who has nothing but an address. */
export interface AddressChannel extends Channel {
  /** By email through this mailbox if it is connected, else the default one. */
  wayThrough(read: Reader | Transaction, orgId: string, mailboxId: string): Promise<AddressWay>
}

export interface AddressWay extends Way {
  mailbox: { id: string; address: string } | undefined
  /** Addresses of the organization's mailboxes. */
  own: { has(address: string): boolean }
  requireRecipients(chosen: Recipients, pointer?: string): Recipients
  /** An email to an agent, which is part of no ticket. Undefined when no mailbox is connected. */
  planNotice(deps: Deps, notice: Notice): Send | undefined
  /** Throws 409 when none is connected. */
  requireMailbox(): { id: string }
}

/** Plain text for an agent. An answer to it becomes an internal note. */
export interface Notice {
  orgId: string
  /** `ntf_…` */
  id: string
  to: EmailAddress
  subject: string
  text: string
  createdAt: number
}

/** The part of a ticket that decides how its messages are sent. */
export interface SendingTicket {
  id: string
  orgId: string
  channel: ChannelKind
  subject: string
  /** Empty for none. */
  mailboxId: string
}

interface Contact {
  name: string
  email: string | null
}

/** How the messages of a ticket leave. */
export interface Way {
  by: ReplyWay
  /** What an agent sees of it above the field for a reply. */
  destination(
    deps: Deps,
    read: Reader,
    ticket: SendingTicket,
    customer: Contact,
  ): Promise<Omit<ReplyDestination, 'by' | 'undoSeconds'>>
  /** Decides how a message is sent, and freezes its content. */
  plan(deps: Deps, tx: Transaction, outgoing: Outgoing): Promise<PlannedSends>
  /** Checks and cleans recipients that an agent chose. Throws 400. Absent if a reply has none. */
  requireRecipients?(chosen: Recipients): Recipients
}

/** `nothing`: the channel isn't connected. */
export type ReplyWay = ChannelKind | 'nothing'
/** The reply fails, or waits until the mailbox or bot is connected again. */
export const PROBLEM_EFFECTS = ['fails', 'waits'] as const
/** What an administrator does about a mailbox or bot that is paused or refused. `sign_in`: at the mail provider. */
export const PROBLEM_FIXES = ['resume', 'reconnect', 'sign_in'] as const
/** What is missing for an email: an address, a mailbox, or an answer to earlier emails. */
export const NO_EMAIL_REASONS = ['address', 'mailbox', 'answer'] as const

/** Where a reply to a ticket goes, and by which mailbox or bot. */
export interface ReplyDestination {
  by: ReplyWay
  /** How long its author can undo it before it is sent; 0 sends it at once. */
  undoSeconds: number
  mailbox?: { id: string; name: string; address: string }
  /** All that it can leave by, if there are several. */
  mailboxes?: { id: string; address: string; hasReceived: boolean }[]
  /** In a chat, also when its bot was removed: the bot's name, and the customer as the chat shows them. */
  chat?: { bot: string; name: string; username: string | null }
  /** On a page of ours: who gets it by email if they don't read it, or why no one does. */
  ifUnread?:
    | { name: string; address: string; isVerified: boolean }
    | { without: (typeof NO_EMAIL_REASONS)[number] }
  /** By email, unless its author chooses others. */
  recipients?: SuggestedRecipients
  /** Why it can't leave. */
  problem?: ReplyProblem
}

export interface ReplyProblem {
  /** A sentence. */
  reason: string
  effect: (typeof PROBLEM_EFFECTS)[number]
  /** The settings page where an administrator can fix it. */
  setting?: ChannelKind
  /** The mailbox or bot that messages wait for, and what ends that. */
  fix?: { id: string; by: (typeof PROBLEM_FIXES)[number] }
}

/** Where a reply goes unless its author chooses. */
export interface SuggestedRecipients extends Recipients {
  /** How many people on the last mail are left out because a reply can't have more recipients. */
  leftOut: number
  /** Those whom the newest mail names in `Reply-To`, although neither its writer nor the customer has that address. */
  elsewhere?: EmailAddress[]
}

export type MessageFile = Pick<
  Attachment,
  'id' | 'hash' | 'name' | 'type' | 'size' | 'width' | 'height' | 'contentId' | 'isInline'
>

/** A message to be sent now. */
export interface Outgoing {
  ticket: SendingTicket
  customer: Contact
  message: {
    id: string
    text: string
    format: MessageFormat
    /** Absent for a message that was posted with a key, or that no person wrote. */
    agentId?: string | undefined
    agentName: string
    createdAt: number
  }
  /** Its attachments, in order. */
  files?: MessageFile[]
  /** Those that its author chose; absent for those that the ticket suggests. */
  recipients?: Recipients | null | undefined
  /**
   * A reply by default. A new conversation and a forward go by email on every channel, and answer nothing. `unread` goes
   * by email to someone who has not read the answers on their own channel.
   */
  kind?: 'reply' | 'opening' | 'forward' | 'automatic' | 'unread'
  /** Instead of the one of the conversation. */
  subject?: string
  /** Texts that are sent with the message, above its own, oldest first. */
  earlier?: { text: string; format: MessageFormat; agentName: string }[]
  forwarded?: ForwardedMessage & { messageId: string }
}

/** A message inside another one that passes it on. */
export interface ForwardedMessage {
  /** In order: `From`, `Date`, `Subject`, `To`, `Cc`. */
  header: readonly (readonly [name: string, value: string])[]
  text: string
  /** Null for a plain text. */
  html: string | null
}

/** The rows to store with the message. Insert the sends after it, in the same unit. */
export interface PlannedSends {
  sending: SendingState
  /** Why it can't be sent or has to wait, in plain words. */
  sendError: string | null
  sentBy: SentBy
  email: MessageEmail | null
  sends: Send[]
}

export type Send = typeof sends.$inferSelect
export type SentMessage = typeof messages.$inferSelect

export interface Sending {
  /** The most attempts at the same time through one account. */
  maxAtOnce: number
  /** Milliseconds before the first retries. Later ones follow hourly, for a day. */
  firstDelaysMs: readonly number[]
  /** The account that messages are sent through, also when it was removed. */
  findAccount(read: Reader | Transaction, id: string): Promise<SendingAccount | undefined>
  /** Whom a send goes to: addresses, or the id of a chat. */
  recipientsOf(send: Send): string[]
  /** Whether its recipients mean something to agents, as addresses do. */
  namesRecipients: boolean
  /** Loads what sends. Called when there is something to send. */
  openTransport(deps: Deps): Promise<Transport>
  /** Sends a failed message again, to `to` instead of those who didn't get it. Throws 400 and 409. */
  resend(deps: Deps, tx: Transaction, send: Send, again: Resend): Promise<void>
}

export interface Resend {
  /** Undefined for a message that no agent wrote. */
  agentName: string | undefined
  /** Empty for the same ones. */
  to: EmailAddress[]
  /** The mailbox of the ticket, empty for none: for a send that had no account. */
  mailboxId: string
}

/** A mailbox or bot that messages are sent through. */
export interface SendingAccount {
  id: string
  orgId: string
  /** As a sentence names it: `mailbox support@acme.example`. */
  label: string
  /** Why messages wait; undefined when they don't. */
  waits: string | undefined
  sendError: string
  receiveFailingSince: number | null
  deletedAt: number | null
  updatedAt: number
  /** Locks its row: do it after everything that locks the organization's. */
  saveHealth(tx: Transaction, change: Health): Promise<void>
}

/** Columns of an account. */
interface Health {
  lastSentAt?: number
  sendError?: string
  sendFailingSince?: SQL<number> | null
  alertedAt?: null
  state?: 'refused'
  updatedAt?: number
}

/** The result of one attempt. */
export interface AttemptResult {
  /** The recipients with a final outcome. The message is sent to the others again. */
  outcomes: RecipientOutcome[]
  /** Why it will be retried, in plain words; empty if it won't. */
  error: string
  /**
   * What went wrong. `message`: only this message. `account`: others of the mailbox or bot would fail as well. `sign in`:
   * nothing is tried until someone reconnects it. `interrupted`: this server ended the attempt, which doesn't count.
   * `limited`: the chat accepts nothing until `retryAt`. `account limited`: no chat of the bot does.
   */
  fault: 'none' | 'message' | 'account' | 'sign in' | 'interrupted' | 'limited' | 'account limited'
  /** When the other side wants the next attempt (wall clock). Then this one doesn't count. */
  retryAt?: number
  /** The id in the other system: a `Message-ID` that the mail server gave instead of ours, with angle brackets. */
  externalId?: string | undefined
}

/** Sends the frozen content of a row. */
export interface Transport {
  /** One attempt for these recipients. Never rejects: a failure is part of the result. */
  attempt(send: Send, recipients: string[]): Promise<AttemptResult>
  /** Interrupts attempts in progress and closes every connection. */
  close(): Promise<void>
}

export interface PossibleChanges {
  canEdit: boolean
  canTakeBack: boolean
}

/** The part of a message that decides what can still be done with it. */
export type ChangeableMessage = Pick<
  SentMessage,
  'id' | 'role' | 'sending' | 'email' | 'author' | 'createdAt'
>

export interface Changes {
  /** By the id of the message. */
  possible(
    deps: Deps,
    read: Reader,
    of: { orgId: string; ticketId: string; messages: readonly ChangeableMessage[] },
  ): Promise<ReadonlyMap<string, PossibleChanges>>
  /** Replaces the text of a message. Undefined for a message of which it can't. Throws 400 and 409. */
  edit?(
    deps: Deps,
    tx: Transaction,
    edit: { message: SentMessage; send: Send; text: string; format: MessageFormat },
  ): Promise<{ isChanged: boolean } | undefined>
  /** Removes a message from the customer's chat. Undefined if it isn't in one. Throws 409. */
  remove?(
    deps: Deps,
    tx: Transaction,
    removal: { message: SentMessage; send: Send },
  ): Promise<Pick<SentMessage, 'sending' | 'sendError'> | undefined>
}
