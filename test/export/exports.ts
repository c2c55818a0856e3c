import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getTableColumns } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import type { Config } from '../../server/config.ts'
import type { Deps } from '../../server/deps.ts'
import { RECORD_KINDS, type RecordKind } from '../../server/export/record-kinds.ts'
import { temporaryFolder } from '../support/folder.ts'
import type { FullOrganization } from '../support/full-organization.ts'
import { type Finished, type Place, runProgram } from '../support/program.ts'

/** Where the data of a service is, for a command. */
export function placeOf({ dataFolder, databaseUrl }: Config): Place {
  return { BELLHOP_DATA: dataFolder, ...(databaseUrl && { DATABASE_URL: databaseUrl }) }
}

/** A place on the embedded engine, whatever this run of the tests is on. */
export function embeddedPlace(): Place {
  return { BELLHOP_DATA: join(temporaryFolder('data'), 'new') }
}

export interface WrittenExport {
  file: string
  /** Its SHA-256. */
  hash: string
}

export async function exportFrom(place: Place, ...args: string[]): Promise<WrittenExport> {
  const file = join(temporaryFolder('export'), 'acme.jsonl')
  const { code, err } = await runProgram(place, ['export', file, ...args])
  if (code !== 0) throw new Error(err)
  return { file, hash: hashOf(file) }
}

export function importInto(place: Place, file: string, ...args: string[]): Promise<Finished> {
  return runProgram(place, ['import', file, ...args])
}

export function hashOf(file: string): string {
  return Bun.SHA256.hash(readFileSync(file), 'hex')
}

/** The lines of an export, parsed. */
export function linesOf(file: string): Record<string, unknown>[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.slice(0, -1).map((line) => JSON.parse(line))
}

/** How many records a file has of each kind. */
export function countKinds(file: string): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { record = 'header' } of linesOf(file)) {
    const kind = String(record)
    counts[kind] = (counts[kind] ?? 0) + 1
  }
  return counts
}

/** Text that tells whether something is lost on the way: quotes, line ends, other scripts, and half of an emoji's pair escaped. */
const AWKWARD = 'Zoë "quoted" \\ 日本語 🛎\r\n\t\u2028'
const PERSON = { name: AWKWARD, address: 'zoe@example.com' }
const ADDRESSES = { from: PERSON, to: [PERSON], cc: [], replyTo: [] }
const EMAIL = { ...ADDRESSES, subject: AWKWARD, messageId: null, references: [AWKWARD] }
const ROWS_OF_EACH = 3
/** Later than any loop of a server looks, also of one that runs on the real clock. */
const LATER = Date.parse('2999-01-01T00:00:00.000Z')

/** Adds rows with a value in every column to each table that an export reads. */
export async function fillTables(deps: Deps, { client: { orgId }, owned }: FullOrganization): Promise<void> {
  const known: Record<string, string> = {
    orgId,
    ticketId: owned.ticket,
    messageId: owned.message,
    noteId: owned.note,
    customerId: owned.customer,
    agentId: owned.agent,
    mailboxId: owned.mailbox,
    botId: owned.bot,
    widgetId: owned.widget,
    endpointId: owned.endpoint,
    deliveryId: owned.delivery,
    visitorId: owned.visitor,
    keyId: owned.key,
    replyId: owned.savedReply,
  }
  for (const kind of RECORD_KINDS) {
    // It has one record, which is there.
    if (kind.name === 'organization') continue
    const rows = Array.from({ length: ROWS_OF_EACH }, (_, number) => rowOf(deps, kind, known, number))
    await deps.database.write(undefined, async (tx) => {
      await tx.insert(kind.table).values(rows).onConflictDoNothing()
    })
  }
}

function rowOf(
  deps: Deps,
  { name, table, left, secrets, boundTo, order }: RecordKind,
  known: Record<string, string>,
  number: number,
): Record<string, unknown> {
  const row: Record<string, unknown> = {}
  for (const [field, column] of Object.entries<PgColumn>(getTableColumns(table))) {
    if (field in left) continue
    const isAlone = order.length === 1 && order[0] === field
    const isKnown = field in known && !(isAlone && !['messageContent', 'snooze'].includes(name))
    row[field] = isKnown ? known[field] : sampleOf(column, `${name} ${field} ${number}`, number)
  }
  // What the server does with pending rows changes them.
  if ('state' in row) row.state = name === 'send' ? 'failed' : 'succeeded'
  if ('hash' in row) row.hash = Bun.SHA256.hash(`${name} ${number}`, 'hex')
  if (name === 'timer') row.kind = 'wake'
  // In its undo time, one that was created in the future is sent at once.
  if (name === 'scheduledMessage') row.isLater = true
  // What is sent next on the ticket answers it.
  if (typeof row.email === 'object') row.email = EMAIL
  if (name === 'apiKey') row.scopes = ['tickets:read']
  if (name === 'ticket') Object.assign(row, { tags: ['a', 'b'], status: 'open', channel: 'api', place: 0 })
  for (const secret of secrets) {
    row[secret] = deps.encryption.encrypt(`${name} ${secret} ${AWKWARD}`, String(row[boundTo]))
  }
  return row
}

function sampleOf(column: PgColumn, text: string, number: number): unknown {
  const type = String(column.dataType)
  if (type === 'string') return `${text} ${AWKWARD}`
  if (type === 'number') return LATER + number
  if (type === 'boolean') return number % 2 === 0
  const isBytes = type === 'buffer' || column.getSQLType() === 'bytea'
  return isBytes ? Buffer.from([0, 255, 10, 13, number]) : { b: [AWKWARD, 1.5, null], a: text }
}

/** Writes lines as an export that is whole: with the number and the hash of the lines. */
export function writeSealed(lines: unknown[]): string {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
  const end = { record: 'end', lines: lines.length, sha256: Bun.SHA256.hash(text, 'hex') }
  const file = join(temporaryFolder('export'), 'sealed.jsonl')
  writeFileSync(file, `${text}${JSON.stringify(end)}\n`)
  return file
}
