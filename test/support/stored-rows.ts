import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { getTableName, is } from 'drizzle-orm'
import { PgTable } from 'drizzle-orm/pg-core'
import { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Deps } from '../../server/deps.ts'

const FOLDER = join(import.meta.dir, '../../server/database/tables')
/** Tables that change with any request or none: they follow the event log, say that a server runs, or count requests. */
const FOLLOWING = [
  'search_cursors',
  'search_documents',
  'reaction_cursors',
  'nodes',
  'partitions',
  'rolling_windows',
]

let tables: PgTable[] | undefined

/** Every row of every table as text. Equal before and after a request that changed nothing. */
export async function storedRows(deps: Deps): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {}
  tables ??= await allTables()
  for (const table of tables) {
    if (FOLLOWING.includes(getTableName(table))) continue
    const rows = await deps.database.read.select().from(table)
    found[getTableName(table)] = rows.map((row) => JSON.stringify(row)).sort()
  }
  return found
}

export async function allTables(): Promise<PgTable[]> {
  const files: object[] = await Promise.all(readdirSync(FOLDER).map((name) => import(join(FOLDER, name))))
  return files.flatMap((file) => Object.values(file)).filter(isTable)
}

/** Tables are typed as PostgreSQL for both engines. See columns.ts. */
function isTable(value: unknown): value is PgTable {
  return is(value, PgTable) || is(value, SQLiteTable)
}
