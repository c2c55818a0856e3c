import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { engine } from '../database/columns.ts'
import { integer, text } from '../database/statement.ts'
import { messages } from '../database/tables/messages.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { drafts, followers, mentions, readMarks } from '../database/tables/threads.ts'
import { PLACES, type Place, tickets } from '../database/tables/tickets.ts'
import { LATEST_TIME } from '../tickets/waiting.ts'
import { type Filter, PLACE_FILTERS } from './filters.ts'
import { OWN_STATES } from './query-language.ts'

// Conditions that the ranges of a list (tickets/list-ranges.ts) don't cover are written as expressions that match no
// index. So choose-index.ts decides, not a planner without statistics.

/** The parameter with the value of a filter, by its position among the filters. */
export function parameterOf(position: number): string {
  return `filter${position}`
}

/** `inArray` for values that are expressions. */
export function isOneOf(column: SQLWrapper, values: SQL[]): SQL {
  return sql`${column} in (${sql.join(values, sql`, `)})`
}

export const unindexedOrganization = sql`(${tickets.orgId} || '') = ${text.bind('orgId')}`

/** The inbox, unless the search asks for another place. Words, and what the agent has to do with, are found in snoozed tickets, too. */
export function placesOf(filters: Pick<Filter, 'kind' | 'isNegated'>[], hasWords = false): Place[] {
  const wanted = filters.flatMap(({ kind, isNegated }) => (isNegated ? [] : kind))
  const place = PLACE_FILTERS.find((one) => wanted.includes(one))
  if (place) return [PLACES[place]]
  const isAwake = filters.some(({ kind, isNegated }) => kind === 'snoozed' && isNegated)
  const isOwn = OWN_STATES.some((state) => wanted.includes(state))
  return !isAwake && (hasWords || isOwn) ? [PLACES.inbox, PLACES.snoozed] : [PLACES.inbox]
}

export function placeCondition(filters: Pick<Filter, 'kind' | 'isNegated'>[], hasWords = false): SQL {
  return sql`${tickets.place} in (${sql.raw(placesOf(filters, hasWords).join(', '))})`
}

/** Undefined for a place, which `placeCondition` handles. */
export function unindexedCondition(
  kind: Filter['kind'],
  isNegated: boolean,
  position: number,
): SQL | undefined {
  const condition = conditionOf(kind, parameterOf(position))
  if (!condition) return undefined
  return isNegated ? sql`not (${condition})` : condition
}

function conditionOf(kind: Filter['kind'], parameter: string): SQL | undefined {
  switch (kind) {
    case 'status':
      return sql`(${tickets.status} || '') = ${text.bind(parameter)}`
    case 'channel':
      return sql`(${tickets.channel} || '') = ${text.bind(parameter)}`
    case 'assignee':
      return sql`(${tickets.assignedTo} || '') = ${text.bind(parameter)}`
    case 'before':
      return sql`(${tickets.lastMessageAt} + 0) < ${integer.bind(parameter)}`
    case 'after':
      return sql`(${tickets.lastMessageAt} + 0) >= ${integer.bind(parameter)}`
    case 'tag':
      return sql`exists (select 1 from ticket_tags own_tags where own_tags.org_id = ${text.bind('orgId')}
        and own_tags.ticket_id = ${tickets.id} and own_tags.tag = ${text.bind(parameter)})`
    case 'meta': {
      const owner = sql`(select owner.metadata from customers owner where owner.id = ${tickets.customerId})`
      return sql`(${hasMetadata(sql`${tickets.metadata}`, parameter)} or ${hasMetadata(owner, parameter)})`
    }
    case 'unread':
      return isUnread
    case 'failed':
      return hasFailedSend
    case 'held':
      return hasHeldReply
    case 'scheduled':
      return hasScheduledReply
    case 'draft':
      return hasDraft
    case 'waiting':
      return sql`(${tickets.waitingOrder} + 0) <= ${sql.raw(String(LATEST_TIME))}`
    case 'mentioned':
      return isMentioned
    case 'followed':
      return isFollowed
    case 'suggested':
      return isSuggested
    case 'spam':
    case 'snoozed':
    case 'merged':
      return undefined
  }
}

/** Whether metadata has the key with exactly the value. */
function hasMetadata(metadata: SQL, parameter: string): SQL {
  const [entries, lineBreak] =
    engine === 'sqlite'
      ? [sql`json_each(${metadata})`, sql`char(10)`]
      : [sql`json_each_text(cast(${metadata} as json))`, sql`chr(10)`]
  return sql`exists (select 1 from ${entries} kept where kept.key || ${lineBreak} || kept.value = ${text.bind(parameter)})`
}

/** The id of a ticket's newest message. Our automatic replies don't count: the customer still waits for an answer. */
export const newestMessageId = sql`(select newest.id from messages newest where newest.org_id = ${text.bind('orgId')}
  and newest.ticket_id = ${tickets.id} and not (newest.is_automatic and newest.role = 'agent') order by newest.created_at desc, newest.id desc limit 1)`

/** The partial index is used only for a query with exactly its condition. */
export const hasFailedSend = sql`exists (select 1 from messages unsent where unsent.org_id = ${text.bind('orgId')}
  and unsent.ticket_id = ${tickets.id} and sending in ('failed', 'bounced'))`

export const hasDraft = sql`exists (select 1 from drafts own where own.org_id = ${text.bind('orgId')}
  and own.agent_id = ${text.bind('me')} and own.ticket_id = ${tickets.id})`

const isMentioned = sql`exists (select 1 from mentions mine where mine.org_id = ${text.bind('orgId')}
  and mine.agent_id = ${text.bind('me')} and mine.ticket_id = ${tickets.id})`

const isFollowed = sql`exists (select 1 from followers mine where mine.org_id = ${text.bind('orgId')}
  and mine.agent_id = ${text.bind('me')} and mine.ticket_id = ${tickets.id} and mine.is_following)`
/** A resolved ticket needs no answer, until it is reopened. Written as in the partial index. */
export const isSuggested = sql`is_suggested and ${tickets.status} <> 'resolved'`
const isByDisabledAgent = sql`exists (select 1 from agents author
  where author.org_id = ${text.bind('orgId')} and author.id = ${scheduledMessages.agentId} and author.disabled_at is not null)`

/** The agent's own held replies, and those of disabled agents. The partial index needs `is_held` written like this. */
export const isHeldForMe = sql`is_held and (${scheduledMessages.agentId} = ${text.bind('me')} or ${isByDisabledAgent})`

/** The agent's own replies that are sent later, and those of API keys and disabled agents. Written as in the partial index. */
export const isScheduledForMe = sql`is_later and not is_held and (${scheduledMessages.agentId} = ${text.bind('me')}
  or ${scheduledMessages.agentId} is null or ${isByDisabledAgent})`

export const hasHeldReply = sql`exists (select 1 from ${scheduledMessages} where ${scheduledMessages.orgId} = ${text.bind('orgId')}
  and ${scheduledMessages.ticketId} = ${tickets.id} and ${isHeldForMe})`

export const hasScheduledReply = sql`exists (select 1 from ${scheduledMessages} where ${scheduledMessages.orgId} = ${text.bind('orgId')}
  and ${scheduledMessages.ticketId} = ${tickets.id} and ${isScheduledForMe})`

/** Nothing was written since the snooze ended. */
const isWokenSince = sql`(${tickets.status} <> 'resolved' and exists (select 1 from snoozes ended
  where ended.ticket_id = ${tickets.id} and ended.woken_at >= latest.created_at))`

/** The newest message is from the customer, or the snooze ended after it, and the agent has not read that far. */
const isUnread = sql`exists (select 1 from messages latest where latest.id = ${newestMessageId}
  and (latest.role = 'customer' or ${isWokenSince}) and not exists (select 1 from read_marks mark
    where mark.org_id = ${text.bind('orgId')} and mark.agent_id = ${text.bind('me')} and mark.ticket_id = ${tickets.id}
    and (mark.message_at > latest.created_at
      or (mark.message_at = latest.created_at and mark.message_id >= latest.id))))`

/** Conditions that few tickets meet: those are found first, without an index of the tickets. */
export const rareConditions: Partial<Record<Filter['kind'], SQL>> = {
  failed: sql`${tickets.id} in (select ${messages.ticketId} from ${messages}
    where ${messages.orgId} = ${text.bind('orgId')} and sending in ('failed', 'bounced'))`,
  held: sql`${tickets.id} in (select ${scheduledMessages.ticketId} from ${scheduledMessages}
    where ${scheduledMessages.orgId} = ${text.bind('orgId')} and ${isHeldForMe})`,
  scheduled: sql`${tickets.id} in (select ${scheduledMessages.ticketId} from ${scheduledMessages}
    where ${scheduledMessages.orgId} = ${text.bind('orgId')} and ${isScheduledForMe})`,
  draft: sql`${tickets.id} in (select ${drafts.ticketId} from ${drafts}
    where ${drafts.orgId} = ${text.bind('orgId')} and ${drafts.agentId} = ${text.bind('me')})`,
  mentioned: sql`${tickets.id} in (select ${mentions.ticketId} from ${mentions}
    where ${mentions.orgId} = ${text.bind('orgId')} and ${mentions.agentId} = ${text.bind('me')})`,
  suggested: sql`${tickets.orgId} = ${text.bind('orgId')} and ${isSuggested}`,
  snoozed: sql`${tickets.orgId} = ${text.bind('orgId')} and snoozed_until is not null`,
  followed: sql`${tickets.id} in (select ${followers.ticketId} from ${followers}
    where ${followers.orgId} = ${text.bind('orgId')} and ${followers.agentId} = ${text.bind('me')} and ${followers.isFollowing})`,
}

export const ownReadMark = sql`${readMarks.orgId} = ${text.bind('orgId')} and ${readMarks.agentId} = ${text.bind('me')}
  and ${readMarks.ticketId} = ${tickets.id}`
