import { eq, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { integerParameter, textParameter } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { waitingReplies } from '../database/tables/replies.ts'
import { drafts, readMarks } from '../database/tables/threads.ts'
import { tickets, ticketTags } from '../database/tables/tickets.ts'
import type { Filter } from './read-search.ts'

// Two ways to ask the same: plainly, for the index that leads a query, and veiled behind an expression that no index
// serves, for everything else. So it is decided here and not by a planner without statistics which index leads.

/** The parameter that holds the value of a filter, by its place among the filters. */
export function parameterOf(place: number): string {
  return `filter${place}`
}

export function textOf(parameter: string): SQL {
  return textParameter(sql.placeholder(parameter))
}

export function numberOf(parameter: string): SQL {
  return integerParameter(sql.placeholder(parameter))
}

/** Any number of values that are written as expressions. */
export function isOneOf(column: SQLWrapper, values: SQL[]): SQL {
  return sql`${column} in (${sql.join(values, sql`, `)})`
}

export const isOfOrganization = eq(tickets.orgId, textOf('orgId'))
export const isVeiledOfOrganization = sql`(${tickets.orgId} || '') = ${textOf('orgId')}`

/** Spam is left out unless it is asked for: so few rows that no index has to know. */
export function spamCondition(filters: Pick<Filter, 'kind' | 'isNegated'>[]): SQL {
  const isWanted = filters.some(({ kind, isNegated }) => kind === 'spam' && !isNegated)
  // Without a table's name on PostgreSQL's side too: the partial index stands on these very words.
  return isWanted ? sql`${tickets.isSpam}` : sql`not ${tickets.isSpam}`
}

/** A filter that does not lead. */
export function veiledCondition(kind: Filter['kind'], isNegated: boolean, place: number): SQL | undefined {
  const parameter = parameterOf(place)
  const condition = conditionOf(kind, parameter)
  if (!condition) return undefined
  return isNegated ? sql`not (${condition})` : condition
}

function conditionOf(kind: Filter['kind'], parameter: string): SQL | undefined {
  switch (kind) {
    case 'status':
      return sql`(${tickets.status} || '') = ${textOf(parameter)}`
    case 'channel':
      return sql`(${tickets.channel} || '') = ${textOf(parameter)}`
    case 'assignee':
      return sql`(${tickets.assignedTo} || '') = ${textOf(parameter)}`
    case 'before':
      return sql`(${tickets.updatedAt} + 0) < ${numberOf(parameter)}`
    case 'after':
      return sql`(${tickets.updatedAt} + 0) >= ${numberOf(parameter)}`
    case 'tag':
      return sql`exists (select 1 from ticket_tags tagged where tagged.org_id = ${textOf('orgId')}
        and tagged.ticket_id = ${tickets.id} and tagged.tag = ${textOf(parameter)})`
    case 'unread':
      return isUnread
    case 'failed':
      return hasFailedSend
    case 'held':
      return hasHeldReply
    case 'draft':
      return hasDraft
    case 'spam':
      return undefined
  }
}

/** The id of a ticket's newest message. */
export const newestMessageId = sql`(select newest.id from messages newest where newest.org_id = ${textOf('orgId')}
  and newest.ticket_id = ${tickets.id} order by newest.created_at desc, newest.id desc limit 1)`

/** The partial index is used only for a query that carries its condition in these words. */
export const hasFailedSend = sql`exists (select 1 from messages lost where lost.org_id = ${textOf('orgId')}
  and lost.ticket_id = ${tickets.id} and sending in ('failed', 'bounced'))`

export const hasDraft = sql`exists (select 1 from drafts begun where begun.org_id = ${textOf('orgId')}
  and begun.agent_id = ${textOf('me')} and begun.ticket_id = ${tickets.id})`

/** Mine, or of somebody who cannot decide any more what becomes of it. The partial index asks for `is_held` in this word. */
export const isHeldForMe = sql`is_held and (${waitingReplies.agentId} = ${textOf('me')} or exists (select 1 from agents gone
  where gone.org_id = ${textOf('orgId')} and gone.id = ${waitingReplies.agentId} and gone.disabled_at is not null))`

export const hasHeldReply = sql`exists (select 1 from ${waitingReplies} where ${waitingReplies.orgId} = ${textOf('orgId')}
  and ${waitingReplies.ticketId} = ${tickets.id} and ${isHeldForMe})`

/** The newest message is the customer's, and later than what I have read. */
const isUnread = sql`exists (select 1 from messages said where said.id = ${newestMessageId}
  and said.role = 'customer' and not exists (select 1 from read_marks seen
    where seen.org_id = ${textOf('orgId')} and seen.agent_id = ${textOf('me')} and seen.ticket_id = ${tickets.id}
    and (seen.message_at > said.created_at or (seen.message_at = said.created_at and seen.message_id >= said.id))))`

/** Few tickets, found by themselves. */
export const FEW: Partial<Record<Filter['kind'], SQL>> = {
  failed: sql`${tickets.id} in (select ${messages.ticketId} from ${messages}
    where ${messages.orgId} = ${textOf('orgId')} and sending in ('failed', 'bounced'))`,
  held: sql`${tickets.id} in (select ${waitingReplies.ticketId} from ${waitingReplies}
    where ${waitingReplies.orgId} = ${textOf('orgId')} and ${isHeldForMe})`,
  draft: sql`${tickets.id} in (select ${drafts.ticketId} from ${drafts}
    where ${drafts.orgId} = ${textOf('orgId')} and ${drafts.agentId} = ${textOf('me')})`,
}

/** Conditions of the leading index, plainly. */
export function leadingCondition(kind: Filter['kind'], place: number): SQL {
  const value = textOf(parameterOf(place))
  switch (kind) {
    case 'status':
      return eq(tickets.status, value)
    case 'channel':
      return eq(tickets.channel, value)
    case 'assignee':
      return eq(tickets.assignedTo, value)
    case 'tag':
      return sql`${ticketTags.orgId} = ${textOf('orgId')} and ${ticketTags.tag} = ${value}`
    default:
      throw new Error(`No index is led by ${kind}.`)
  }
}

export const myReadMark = sql`${readMarks.orgId} = ${textOf('orgId')} and ${readMarks.agentId} = ${textOf('me')}
  and ${readMarks.ticketId} = ${tickets.id}`
