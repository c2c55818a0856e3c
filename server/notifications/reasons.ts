import type { EventChanges, LogEvent } from '../database/tables/events.ts'
import type { ChosenReason } from './choices.ts'

/** Missing for anyone but an agent. */
type AgentId = string | null | undefined

/** What decides whom an event concerns. */
export interface Facts {
  type: LogEvent
  changes: EventChanges
  /** Who did it. */
  by: AgentId
  /** Who had the ticket then; empty for no one. */
  assignedTo: string
  /** The message or note that the event is about. */
  message: Written | undefined
  /** Whether the event is the ticket's first message, or is about it. */
  isOpening: boolean
  /** Agents whom the note mentions. */
  mentioned: string[]
  followers: string[]
  /** Who put the ticket away that is back. */
  snoozedBy: AgentId
  /** The author of a reply that was held. */
  heldBy: AgentId
  /** All agents who can be notified. */
  everyone: string[]
}

export interface Written {
  kind: 'customer' | 'agent' | 'note'
  agentId: AgentId
  /** A program wrote it, such as a vacation notice. */
  isAutomatic: boolean
  /** The outcome of sending it. */
  hasFailed: boolean
}

/** Whom an event concerns for a reason. Spam, merged tickets and one's own acts are left out for all of them. */
interface Rule {
  reason: ChosenReason
  on: readonly LogEvent[]
  whom(facts: Facts): AgentId[]
}

/** Of several reasons for one agent, the first counts. Matches of saved views are found by searching: see `notify.ts`. */
export const RULES: readonly Rule[] = [
  { reason: 'mentioned', on: ['note.added'], whom: ({ mentioned }) => mentioned },
  {
    reason: 'assigned',
    on: ['ticket.created', 'ticket.updated'],
    whom: ({ type, assignedTo, changes }) => [
      type === 'ticket.created' ? assignedTo : changes.assignedTo?.to,
    ],
  },
  {
    reason: 'failed',
    on: ['message.updated'],
    whom: ({ message }) => (message?.hasFailed ? [message.agentId] : []),
  },
  { reason: 'failed', on: ['reply.waiting'], whom: ({ heldBy }) => [heldBy] },
  {
    reason: 'snooze_ended',
    on: ['ticket.updated'],
    whom: ({ changes, snoozedBy }) => (changes.snoozedUntil?.to === null ? [snoozedBy] : []),
  },
  {
    reason: 'customer_wrote',
    on: ['message.sent'],
    whom: (facts) => (isFromCustomer(facts) && !facts.isOpening ? [facts.assignedTo] : []),
  },
  {
    reason: 'followed',
    on: ['message.sent', 'note.added'],
    whom: (facts) =>
      facts.message?.kind === 'note' || (isFromCustomer(facts) && !facts.isOpening) ? facts.followers : [],
  },
  {
    reason: 'unassigned',
    on: ['ticket.created'],
    whom: (facts) => (facts.assignedTo === '' && isFromCustomer(facts) ? facts.everyone : []),
  },
]

function isFromCustomer({ message }: Facts): boolean {
  return message?.kind === 'customer' && !message.isAutomatic
}
