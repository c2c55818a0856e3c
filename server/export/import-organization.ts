import { eq } from 'drizzle-orm'
import type { FileStore } from '../attachments/file-store.ts'
import { BackupError } from '../backup/backup-error.ts'
import { CHANNELS } from '../channels/kinds.ts'
import { storageCode, type Transaction } from '../database/database.ts'
import { insertOf } from '../database/statement.ts'
import { organizations } from '../database/tables/organizations.ts'
import { PLACES, TICKET_STATUSES, tickets } from '../database/tables/tickets.ts'
import { writeInOneTransaction } from '../database/write-transaction.ts'
import type { Deps } from '../deps.ts'
import { beginLog } from '../events/positions.ts'
import { startAtNewestEvent } from '../reactions/react-to-log.ts'
import { addChanges, type CounterChanges, saveCounters } from '../tickets/counters.ts'
import { insertTags } from '../tickets/queries.ts'
import { addMissingTimes } from '../tickets/waiting.ts'
import type { ExportHeader } from './export-format.ts'
import { addMissingColumns } from './missing-columns.ts'
import { type ExportFile, type ExportPart, readExport } from './read-export.ts'
import type { FieldedKind } from './record-kinds.ts'

const ROWS_AT_ONCE = 256
const BYTES_AT_ONCE = 1024 * 1024
/** Counters in memory. With more, they are stored before the last ticket. */
const MAX_COUNTERS = 20_000
/** Files up to this size are written in parallel, because each waits for the disk. */
const SMALL_FILE_BYTES = 1024 * 1024
const FILES_AT_ONCE = 16
/** Violated constraints of both engines. */
const CONSTRAINT = /^(SQLITE_CONSTRAINT|23)/

interface ImportResult {
  organization: { id: string; name: string }
  /** Records by kind, and `file`. */
  records: Record<string, number>
}

type Row = Record<string, unknown>

/**
 * Stores everything of an export that was verified, in one unit of work: when it throws or the process ends, no row is
 * there. Files that it has stored until then are deleted by the server. No server may use the data meanwhile. Throws
 * `BackupError` when the organization is there already, or the export isn't what was verified.
 */
export async function importOrganization(deps: Deps, file: ExportFile): Promise<ImportResult> {
  const parts = readExport(file)
  try {
    return await writeInOneTransaction(deps.config, (tx) =>
      storeAll({ deps, tx, file, counters: new Map() }, parts),
    )
  } finally {
    await parts.return(undefined)
  }
}

interface Importing {
  deps: Deps
  tx: Transaction
  file: ExportFile
  /** Of the tickets so far that are not stored yet. */
  counters: CounterChanges
}

async function storeAll(importing: Importing, parts: AsyncGenerator<ExportPart>): Promise<ImportResult> {
  const { deps } = importing
  const result: ImportResult = { organization: { id: '', name: '' }, records: {} }
  const files = createQueue(FILES_AT_ONCE)
  const count = (name: string, by: number) => {
    result.records[name] = (result.records[name] ?? 0) + by
  }
  let batch: Batch | undefined

  async function storeBatch(): Promise<void> {
    if (!batch) return
    count(batch.kind.name, batch.rows.length)
    await storeRows(importing, result.organization.id, batch)
    batch = undefined
  }

  for await (const part of parts) {
    if ('header' in part) {
      result.organization = part.header.organization
      await requireNewOrganization(importing, part.header)
    } else if ('kind' in part) {
      const { kind, row, length } = part
      if (
        batch &&
        (batch.kind !== kind || batch.rows.length >= ROWS_AT_ONCE || batch.length >= BYTES_AT_ONCE)
      ) {
        await storeBatch()
      }
      batch ??= { kind, rows: [], length: 0 }
      batch.rows.push(row)
      batch.length += length
    } else {
      await storeBatch()
      count('file', 1)
      if (part.file.bytes > SMALL_FILE_BYTES) await storeFile(deps, part.pieces)
      else {
        const bytes = Buffer.concat(await Array.fromAsync(part.pieces))
        await files.add(() => storeFile(deps, bytes))
      }
    }
  }
  await storeBatch()
  await storeCounters(importing)
  // What the log says happened elsewhere, and no position of a client counts here.
  await beginLog(deps, importing.tx, result.organization.id)
  await startAtNewestEvent(importing.tx, { orgId: result.organization.id })
  await addMissingTimes(importing.tx, result.organization.id)
  await addMissingColumns(importing.tx, result.organization.id)
  await files.end()
  return result
}

async function requireNewOrganization(
  { tx, deps }: Importing,
  { organization: { id, name } }: ExportHeader,
): Promise<void> {
  const found = await tx.select({ id: organizations.id }).from(organizations).where(eq(organizations.id, id))
  if (found.length === 0) return
  const place = deps.config.databaseUrl ? 'the database at DATABASE_URL' : deps.config.dataFolder
  throw new BackupError(`The organization ${name} (${id}) is already in ${place}.`)
}

interface Batch {
  kind: FieldedKind
  rows: Row[]
  length: number
}

async function storeRows(importing: Importing, orgId: string, batch: Batch): Promise<void> {
  const { deps, tx, file } = importing
  const { kind } = batch
  const rows = batch.rows.map((row) => ownedRow(deps, kind, orgId, row))
  try {
    await inserterOf(kind)(tx, rows)
    if (kind.table === tickets) await storeTicketIndexes(importing, orgId, rows)
  } catch (cause) {
    if (!CONSTRAINT.test(storageCode(cause))) throw cause
    throw new BackupError(
      `A record "${kind.name}" in ${file.path} conflicts with what is already there, or refers to what isn't. Nothing was imported.`,
      { cause },
    )
  }
}

type Inserter = (tx: Transaction, rows: Row[]) => Promise<void>
const inserters = new Map<FieldedKind, Inserter>()

function inserterOf(kind: FieldedKind): Inserter {
  const except = Object.entries(kind.left).flatMap(([name, value]) => (value === undefined ? [name] : []))
  const inserter = inserters.get(kind) ?? insertOf(kind.table, { except })
  inserters.set(kind, inserter)
  return inserter
}

/** The row as this installation stores it: with its organization, and secrets encrypted with the key of this one. */
function ownedRow(
  { encryption }: Deps,
  { secrets, boundTo, name }: FieldedKind,
  orgId: string,
  row: Row,
): Row {
  if (name === 'organization' && row.id !== orgId) throw new Error('The organization is another one.')
  const owned: Row = { ...row, orgId }
  for (const secret of secrets) {
    const plain = row[secret]
    if (typeof plain === 'string') owned[secret] = encryption.encrypt(plain, String(owned[boundTo]))
  }
  return owned
}

/** Stores the rows that ticket lists and counts are read from. The server builds the search index. */
async function storeTicketIndexes(importing: Importing, orgId: string, rows: Row[]): Promise<void> {
  const { tx, file, counters } = importing
  const stored = rows.map((row) => ticketOf(row, file))
  await insertTags(
    tx,
    stored.flatMap(({ tags, ...ticket }) => tags.map((tag) => ({ ...ticket, orgId, tag }))),
  )
  addChanges(
    counters,
    orgId,
    stored.map((after) => ({ after })),
  )
  if (counters.size > MAX_COUNTERS) await storeCounters(importing)
}

/** As rarely as possible, because PostgreSQL keeps every version of a row until the end of the transaction. */
async function storeCounters({ tx, counters }: Importing): Promise<void> {
  await saveCounters(tx, counters)
  counters.clear()
}

function ticketOf(row: Row, file: ExportFile) {
  const status = TICKET_STATUSES.find((one) => one === row.status)
  const channel = CHANNELS.find((one) => one === row.channel)
  const place = Object.values(PLACES).find((one) => one === row.place)
  if (!status || !channel || place === undefined || !Array.isArray(row.tags)) {
    throw new BackupError(
      `A ticket in ${file.path} has an unknown status, channel or place. Nothing was imported.`,
    )
  }
  return {
    ticketId: String(row.id),
    tags: row.tags.map(String),
    status,
    channel,
    assignedTo: String(row.assignedTo),
    place,
    createdAt: Number(row.createdAt),
    updatedAt: Number(row.updatedAt),
    lastMessageAt: Number(row.lastMessageAt),
    waitingOrder: Number(row.waitingOrder),
  }
}

async function storeFile({ files }: Deps, source: Parameters<FileStore['put']>[0]): Promise<void> {
  const file = await files.put(source, { isAlone: true })
  file[Symbol.dispose]()
}

/** Runs work in parallel, up to a limit. A failure is thrown by the next call. */
function createQueue(limit: number) {
  const running = new Set<Promise<void>>()
  return {
    async add(work: () => Promise<void>): Promise<void> {
      if (running.size >= limit) await Promise.race(running)
      const done = work().then(() => {
        running.delete(done)
      })
      done.catch(() => {})
      running.add(done)
    },
    async end(): Promise<void> {
      await Promise.all(running)
    },
  }
}
