import { accessSync, constants, existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { systemClock } from '../clock.ts'
import { openDatabaseThread } from '../database/database-thread.ts'
import { judgeData, READ_LEDGER, READ_SHAPE } from '../database/migration-ledger.ts'
import { HAS_CHANGE_LOG } from '../database/move/change-log.ts'
import { DATABASE_FILE } from '../database/open.ts'
import { formatSize } from '../text/sizes.ts'
import { fullDisk } from './check-disk.ts'
import { type Finding, findingsOf, type Installation } from './finding.ts'
import { ofDataState } from './judge-version.ts'

const { warning, error } = findingsOf('database')
const RESTORE =
  'Stop Bellhop, keep a copy of the data folder, and restore the newest backup: bellhop restore FILE'

/** The clients of a check that takes longer may have given up, so its result is kept for the next ones. */
const LONG_MS = 10_000
const KEPT_MS = 600_000

/** Running checks by file. SQLite can't be interrupted, so later requests share the result of the running check. */
const running = new Map<string, Promise<Finding[]>>()

/**
 * Checks that the database is intact and has this version. Reads only, and outside the event loop, because it may be
 * large.
 */
export async function checkDatabase({ config }: Pick<Installation, 'config'>): Promise<Finding[]> {
  if (config.databaseUrl) {
    // Loaded only when needed.
    const { checkPostgres } = await import('./check-postgres.ts')
    return checkPostgres(config.databaseUrl)
  }
  const file = join(resolve(config.dataFolder), DATABASE_FILE)
  if (!existsSync(file)) return isClosed(config.dataFolder) ? [] : [missing(file)]
  const startedAt = systemClock.monotonic()
  const check =
    running.get(file) ??
    checkFile(file).finally(() => {
      const isLong = systemClock.monotonic() - startedAt > LONG_MS
      systemClock.after(isLong ? KEPT_MS : 0, () => running.delete(file))
    })
  running.set(file, check)
  return check
}

async function checkFile(file: string): Promise<Finding[]> {
  const thread = openDatabaseThread(file)
  try {
    const ledger = await thread.run({ sql: READ_LEDGER, params: [] })
    const shape = await thread.run({ sql: READ_SHAPE.sqlite, params: [] })
    const [[fault] = []] = await thread.run({ sql: 'pragma quick_check(1)', params: [] })
    if (fault !== 'ok') return [damaged(file)]
    const size = formatSize(Bun.file(file).size)
    const state = judgeData('sqlite', { ledger, shape })
    const noted = await thread.run({ sql: HAS_CHANGE_LOG, params: [] })
    return [
      ofDataState(state, `Database intact (${size}).`),
      ...(noted.length > 0 && state.kind === 'current' ? [movingNow()] : []),
    ]
  } catch (cause) {
    return [(await fullDisk(dirname(file))) ? unread(file) : failed(file, cause)]
  } finally {
    thread.close()
  }
}

function movingNow(): Finding {
  return warning(
    'A move to PostgreSQL notes every change, which makes the file larger.',
    'If none is running, restart the server, or run bellhop move again.',
  )
}

/** Whether the folder can't be entered. The check of the folder reports this. */
function isClosed(folder: string): boolean {
  try {
    accessSync(folder, constants.X_OK)
    return false
  } catch {
    return existsSync(folder)
  }
}

function missing(file: string): Finding {
  return error(
    `There is no database at ${file}.`,
    "Set BELLHOP_DATA to the server's folder, or start with: bellhop setup",
  )
}

/** Even reading takes some space: SQLite makes an index of the log. */
function unread(file: string): Finding {
  return error(`${file} can't be checked while its disk is full.`, 'Free some space, and check again.')
}

function failed(file: string, cause: unknown): Finding {
  const message = messageOf(cause)
  if (message.includes('malformed')) return damaged(file)
  if (message.includes('not a database') || message.startsWith('no such table')) {
    const detail = `${file} isn't a Bellhop database.`
    return error(detail, 'Set BELLHOP_DATA to another folder, or restore a backup.')
  }
  return error(
    `${file} can't be read: ${message}.`,
    'Check the owner and the rights of the file, and its disk.',
  )
}

/** An error from the thread is only text, including its source. */
function messageOf(cause: unknown): string {
  const text = cause instanceof Error ? cause.message : String(cause)
  return (/SQLiteError: (.*)/.exec(text)?.[1] ?? text.split('\n')[0] ?? '').replace(/\.$/, '')
}

function damaged(file: string): Finding {
  return error(`The database ${file} is damaged.`, RESTORE)
}
