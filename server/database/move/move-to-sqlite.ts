import { closeSync, existsSync, fsyncSync, openSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import { StartError } from '../../errors.ts'
import { stateIn, stateInPostgres } from '../data-version.ts'
import { DELETE_MARK, insertMark, requireOpenable } from '../migration-ledger.ts'
import { DATABASE_FILE } from '../open.ts'
import { openOwnConnection } from '../postgresql/own-connection.ts'
import { copyPostgres } from '../postgresql/postgres-copy.ts'
import { openFile } from './moved-file.ts'

interface MoveToSqlite {
  dataFolder: string
  url: string
  /** An empty folder on the disk of the data folder, with room for the database. */
  work: string
  clock: Clock
  /** The name of this move. */
  moveId: string
}

/**
 * Moves everything of a PostgreSQL database to a new file in the data folder, while no server uses either. The file of an
 * earlier move to PostgreSQL is replaced. Killed at any moment, one of the two has everything, and the other one is marked,
 * so that no server starts on it; the next move completes or repeats it. Returns how many rows there are, or undefined if
 * all were there. Throws `StartError`.
 */
export async function moveToSqlite({
  dataFolder,
  url,
  work,
  clock,
  moveId,
}: MoveToSqlite): Promise<number | undefined> {
  const path = join(dataFolder, DATABASE_FILE)
  const client = await openOwnConnection(url)
  try {
    const unfinished = unfinishedMoveIn(path)
    const state = await stateInPostgres(client)
    if (state.kind === 'marked' && state.mark === 'moved_to_sqlite' && state.moveId === unfinished) {
      deleteMark(path)
      return undefined
    }
    requireOpenable(state)
    const copy = join(work, DATABASE_FILE)
    closeSync(openSync(copy, 'wx', 0o600))
    const rows = await copyPostgres(url, copy, clock.now(), { isCompared: true })
    {
      using file = openFile(copy)
      file.exec(insertMark('unfinished_move', moveId, clock.now()))
    }
    sync(copy)
    renameSync(copy, path)
    sync(dataFolder)
    await client.unsafe(insertMark('moved_to_sqlite', moveId, clock.now()))
    deleteMark(path)
    return rows
  } finally {
    await client.close({ timeout: 0 })
  }
}

/** The name of the move that began to make the file. Throws `StartError` for a file that may not be replaced. */
function unfinishedMoveIn(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  using file = openFile(path)
  const state = stateIn(file)
  if (state.kind !== 'marked') {
    throw new StartError(`There is a database at ${path}. Choose another folder with BELLHOP_DATA.`)
  }
  // Otherwise, the log of the old file would be applied to the new one.
  file.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE')
  return state.mark === 'unfinished_move' ? state.moveId : undefined
}

function deleteMark(path: string): void {
  using file = openFile(path)
  file.exec(DELETE_MARK)
}

function sync(path: string): void {
  const handle = openSync(path, 'r')
  fsyncSync(handle)
  closeSync(handle)
}
