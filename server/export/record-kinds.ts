import { getTableColumns } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'
import { agents } from '../database/tables/agents.ts'
import { apiKeys, idempotencyKeys } from '../database/tables/api-keys.ts'
import { attachments } from '../database/tables/attachments.ts'
import { auditEntries } from '../database/tables/audit.ts'
import {
  bots,
  telegramChats,
  telegramConversations,
  telegramFiles,
  telegramMessages,
  telegramUpdates,
} from '../database/tables/bots.ts'
import { customerEmails, customerIdentities, customers, NO_TICKETS } from '../database/tables/customers.ts'
import { events } from '../database/tables/events.ts'
import { knownMails, mailboxes, mailFolders, mails, oauthClients } from '../database/tables/mailboxes.ts'
import { messageContents, messageEdits, messages } from '../database/tables/messages.ts'
import { movedRows, moves } from '../database/tables/moves.ts'
import { notificationSettings, viewBells } from '../database/tables/notifications.ts'
import { organizations } from '../database/tables/organizations.ts'
import { savedReplies, savedReplyUses } from '../database/tables/saved-replies.ts'
import { savedViews } from '../database/tables/saved-views.ts'
import { scheduledMessages } from '../database/tables/scheduled-messages.ts'
import { sends } from '../database/tables/sends.ts'
import { agentLinks } from '../database/tables/sessions.ts'
import {
  activities,
  drafts,
  followers,
  mentions,
  notes,
  readMarks,
  suggestions,
} from '../database/tables/threads.ts'
import { PLACES, tickets } from '../database/tables/tickets.ts'
import { snoozes, timers } from '../database/tables/timers.ts'
import { attempts, deliveries, endpoints, resendJobs } from '../database/tables/webhooks.ts'
import {
  blockedAddresses,
  emailedVisitors,
  visitors,
  widgetConversations,
  widgetMessages,
  widgets,
} from '../database/tables/widgets.ts'

/** The records of one table. A record has a field for each column, except for the organization's id. */
export interface RecordKind {
  /** The value of `record` in its lines. */
  name: string
  table: PgTable
  /** Columns that put its records in order. Within an organization, they are unique together. */
  order: string[]
  /** Columns that are encrypted in the database and plain text in the file, and the column that each is bound to. */
  secrets: string[]
  boundTo: string
  /** Columns that aren't in the file, with their values after an import. Undefined: the database decides. */
  left: Record<string, string | null | undefined>
  /** Values for records from before a field was invented, of columns whose default is SQL. */
  absent: Record<string, unknown>
  /** Fields of earlier exports that became others, and what they became. */
  replaced: Record<string, (value: unknown) => Record<string, unknown>>
}

/**
 * Everything of an organization that is in an export, in the order of the file: no record refers to a later one. The guide
 * (http/docs/guides/export.md) describes each, and says of all other tables why they are left out.
 */
export const RECORD_KINDS: RecordKind[] = [
  kind('organization', organizations, ['id'], { left: { erasedEvent: null, logId: '' } }),
  kind('agent', agents, ['id']),
  kind('agentLink', agentLinks, ['id']),
  kind('apiKey', apiKeys, ['id']),
  kind('savedReply', savedReplies, ['id']),
  kind('savedReplyUse', savedReplyUses, ['agentId', 'replyId']),
  kind('savedView', savedViews, ['id']),
  kind('viewBell', viewBells, ['agentId', 'viewId']),
  kind('notificationSetting', notificationSettings, ['agentId'], {
    left: { emailDueAt: null, lastEmailedAt: null },
  }),
  kind('customer', customers, ['id'], { left: { reindexAfter: NO_TICKETS } }),
  kind('customerEmail', customerEmails, ['emailKey']),
  kind('customerIdentity', customerIdentities, ['channel', 'externalId']),
  kind('mailbox', mailboxes, ['id'], {
    secrets: ['imapPassword', 'smtpPassword', 'tokens', 'dkimKey'],
    boundTo: 'id',
    absent: { aliases: [] },
  }),
  kind('mailFolder', mailFolders, ['mailboxId', 'name']),
  kind('oauthClient', oauthClients, ['provider'], { secrets: ['clientSecret'], boundTo: 'orgId' }),
  kind('bot', bots, ['id'], { secrets: ['token', 'webhook'], boundTo: 'id' }),
  kind('widget', widgets, ['id'], { secrets: ['identitySecret', 'previousIdentitySecret'], boundTo: 'id' }),
  kind('endpoint', endpoints, ['id'], {
    secrets: ['secret', 'nextSecret', 'previousSecret'],
    boundTo: 'id',
  }),
  kind('ticket', tickets, ['number'], {
    left: { number: undefined },
    replaced: { isSpam: (isSpam) => ({ place: isSpam === true ? PLACES.spam : PLACES.inbox }) },
  }),
  kind('message', messages, ['id']),
  kind('messageContent', messageContents, ['messageId']),
  kind('messageEdit', messageEdits, ['messageId', 'version']),
  kind('scheduledMessage', scheduledMessages, ['id'], {
    replaced: { thenStatus: (status) => ({ actions: status === null ? null : { status } }) },
  }),
  kind('note', notes, ['id']),
  kind('activity', activities, ['id']),
  kind('suggestion', suggestions, ['id']),
  kind('timer', timers, ['ticketId', 'kind', 'ref']),
  kind('snooze', snoozes, ['ticketId']),
  kind('draft', drafts, ['agentId', 'ticketId', 'kind']),
  kind('readMark', readMarks, ['agentId', 'ticketId']),
  kind('move', moves, ['id']),
  kind('movedRow', movedRows, ['moveId', 'kind', 'rowId']),
  kind('mention', mentions, ['noteId', 'agentId']),
  kind('follower', followers, ['agentId', 'ticketId']),
  kind('attachment', attachments, ['id']),
  kind('send', sends, ['id']),
  kind('mail', mails, ['id']),
  kind('knownMail', knownMails, ['messageIdHash', 'senderHash', 'bodyHash', 'mailboxId']),
  kind('telegramUpdate', telegramUpdates, ['id']),
  kind('telegramChat', telegramChats, ['botId', 'chatId']),
  kind('telegramConversation', telegramConversations, ['ticketId']),
  kind('telegramMessage', telegramMessages, ['botId', 'chatId', 'telegramMessageId']),
  kind('telegramFile', telegramFiles, ['id']),
  kind('visitor', visitors, ['id'], { left: { connectedUntil: null } }),
  kind('widgetConversation', widgetConversations, ['ticketId']),
  kind('widgetMessage', widgetMessages, ['visitorId', 'clientId']),
  kind('blockedAddress', blockedAddresses, ['address']),
  kind('emailedVisitor', emailedVisitors, ['addressKey']),
  kind('event', events, ['number']),
  kind('delivery', deliveries, ['id']),
  kind('attempt', attempts, ['deliveryId', 'number']),
  kind('resendJob', resendJobs, ['id']),
  kind('auditEntry', auditEntries, ['id']),
  kind('idempotencyKey', idempotencyKeys, ['key']),
]

type ColumnOf<Table extends PgTable> = keyof Table['$inferSelect'] & string

interface Exceptions<Column extends string> {
  secrets?: Column[]
  boundTo?: Column
  left?: { [Name in Column]?: string | null | undefined }
  absent?: { [Name in Column]?: unknown }
  replaced?: RecordKind['replaced']
}

function kind<Table extends PgTable>(
  name: string,
  table: Table,
  order: ColumnOf<Table>[],
  { secrets = [], boundTo, left = {}, absent = {}, replaced = {} }: Exceptions<ColumnOf<Table>> = {},
): RecordKind {
  return {
    name,
    table,
    order,
    secrets,
    boundTo: boundTo ?? '',
    left: { ...left },
    absent: { ...absent },
    replaced,
  }
}

/** How a value is written in JSON. `bytes` are base64, a `secret` is a text that the database encrypts. */
type FieldType = 'text' | 'integer' | 'boolean' | 'json' | 'bytes' | 'secret'

interface Field {
  name: string
  column: PgColumn
  type: FieldType
  isNullable: boolean
}

/** A kind of record with its fields, in the order of the columns. */
export interface FieldedKind extends RecordKind {
  fields: Field[]
  /** The column with the organization's id. */
  ownedBy: PgColumn
  orderedBy: PgColumn[]
}

/** The organization is named once, in the first line of a file. */
const IMPLIED = 'orgId'

export const FIELDED_KINDS: FieldedKind[] = RECORD_KINDS.map((kind) => {
  const columns: [string, PgColumn][] = Object.entries(getTableColumns(kind.table))
  const byName = new Map(columns)
  const columnOf = (name: string): PgColumn => {
    const column = byName.get(name)
    if (!column) throw new Error(`${kind.name} has no column ${name}.`)
    return column
  }
  const fields = columns.flatMap(([name, column]) => {
    if (name === IMPLIED || name in kind.left) return []
    const type = kind.secrets.includes(name) ? 'secret' : typeOf(column)
    return [{ name, column, type, isNullable: !column.notNull }]
  })
  return {
    ...kind,
    fields,
    ownedBy: columnOf(byName.has(IMPLIED) ? IMPLIED : 'id'),
    orderedBy: kind.order.map(columnOf),
  }
})

/** The row as a record. `values` are those of the fields; `reveal` decrypts. */
export function recordOf(
  { name, fields }: FieldedKind,
  values: unknown[],
  reveal: (secret: Uint8Array) => string,
): Record<string, unknown> {
  const record: Record<string, unknown> = { record: name }
  for (const [place, field] of fields.entries())
    record[field.name] = encoded(field.type, values[place], reveal)
  return record
}

/**
 * The values of a record by column, those of secrets as plain text. Fields that the record doesn't have, because it was
 * exported before they were invented, get their default. Throws for a record that isn't of this kind.
 */
export function rowOf(
  { name, fields, left, absent, replaced }: FieldedKind,
  original: Record<string, unknown>,
) {
  const record = { ...original }
  for (const [field, become] of Object.entries(replaced)) {
    if (!(field in record)) continue
    Object.assign(record, become(record[field]))
    delete record[field]
  }
  const row: Record<string, unknown> = { ...left }
  let known = 1
  for (const { name: field, column, type, isNullable } of fields) {
    const value = record[field]
    if (value !== undefined) known += 1
    row[field] = value === undefined ? (absent[field] ?? column.default) : decoded(type, value)
    if (row[field] === undefined && isNullable) row[field] = null
    const isAbsent = row[field] === undefined || (value === null && !isNullable)
    if (isAbsent) throw new Error(`A record "${name}" has no valid "${field}".`)
  }
  if (Object.keys(record).length !== known) throw new Error(`A record "${name}" has an unknown field.`)
  return row
}

function encoded(type: FieldType, value: unknown, reveal: (secret: Uint8Array) => string): unknown {
  if (!(value instanceof Uint8Array)) return value
  return type === 'secret' ? reveal(value) : Buffer.from(value).toString('base64')
}

/** Undefined for a value of another type. */
function decoded(type: FieldType, value: unknown): unknown {
  if (value === null || type === 'json') return value
  if (type === 'integer') return Number.isSafeInteger(value) ? value : undefined
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (typeof value !== 'string') return undefined
  // PostgreSQL can't store this character.
  if (type !== 'bytes') return value.includes('\0') ? undefined : value
  const bytes = Buffer.from(value, 'base64')
  return bytes.toString('base64') === value ? bytes : undefined
}

/** Both engines, whose columns of JSON and bytes have other names. */
function typeOf(column: PgColumn): FieldType {
  const { dataType } = column
  if (dataType === 'string') return 'text'
  if (dataType === 'number') return 'integer'
  if (dataType === 'boolean') return 'boolean'
  if (dataType === 'custom') return column.getSQLType() === 'bytea' ? 'bytes' : 'json'
  return String(dataType) === 'buffer' ? 'bytes' : 'json'
}
