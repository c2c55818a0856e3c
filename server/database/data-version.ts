import { Database as Connection } from 'bun:sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { type DataState, judgeData, READ_LEDGER, READ_SHAPE } from './migration-ledger.ts'
import { DATABASE_FILE } from './open.ts'

/** Whether there is data that this program can open without upgrading it. The checks report anything else. */
export async function isDataCurrent(config: Pick<Config, 'dataFolder' | 'databaseUrl'>): Promise<boolean> {
  try {
    const state = config.databaseUrl
      ? await stateOfPostgres(config.databaseUrl)
      : stateOfFile(join(config.dataFolder, DATABASE_FILE))
    return state?.kind === 'current' || state?.kind === 'next'
  } catch {
    return false
  }
}

function stateOfFile(file: string): DataState | undefined {
  if (!existsSync(file)) return undefined
  const connection = new Connection(file, { readonly: true })
  try {
    return stateIn(connection)
  } finally {
    connection.close()
  }
}

/** What is in an SQLite file of Bellhop. */
export function stateIn(file: Connection): DataState {
  const rows = (sql: string): unknown[][] => file.query(sql).values()
  return judgeData('sqlite', { ledger: rows(READ_LEDGER), shape: rows(READ_SHAPE.sqlite) })
}

async function stateOfPostgres(url: string): Promise<DataState> {
  const { openPool } = await import('./postgresql/postgres-pool.ts')
  const client = openPool(url, { max: 1, connectionTimeout: 5 })
  try {
    return await stateInPostgres(client)
  } finally {
    await client.close()
  }
}

export async function stateInPostgres(client: Pick<Bun.SQL, 'unsafe'>): Promise<DataState> {
  const ledger: unknown[][] = await client.unsafe(READ_LEDGER).values()
  const shape: unknown[][] = await client.unsafe(READ_SHAPE.postgresql).values()
  return judgeData('postgresql', { ledger, shape })
}
