import { randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import { requireSpace, withWorkFolder } from '../backup/create-backup.ts'
import { systemClock } from '../clock.ts'
import { readConfig } from '../config.ts'
import { moveToPostgres } from '../database/move/move-to-postgres.ts'
import { moveToSqlite } from '../database/move/move-to-sqlite.ts'
import { StartError, UsageError } from '../errors.ts'
import { SECRET_FILE } from '../machine/data-folder.ts'
import { requireNoNodes, withoutServer } from './import.ts'
import { counted, note, print, printJson } from './output.ts'
import { requireInstallation } from './with-deps.ts'

interface Options {
  to?: string
  back?: true
  json?: true
}

export function addMove(program: Command): void {
  program
    .command('move')
    .description('move everything to PostgreSQL while the server runs, or back to the data folder')
    .option('--to <url>', 'the empty PostgreSQL database, such as postgres://user@host/name')
    .option('--back', 'move from the database at DATABASE_URL to the data folder; the server must be stopped')
    .option('--json', 'print JSON')
    .action(async ({ to, back, json }: Options) => {
      if ((to === undefined) === (back === undefined)) throw new UsageError('Choose one of --to and --back.')
      await (to === undefined ? moveBack(json) : move(to, json))
    })
}

async function move(url: string, json?: true): Promise<void> {
  const config = readConfig()
  const { dataFolder, databaseUrl, secret } = config
  if (!/^postgres(ql)?:\/\/./.test(url)) {
    throw new UsageError('--to must be a URL such as postgres://user@host/name.')
  }
  if (databaseUrl) {
    throw new StartError(
      'DATABASE_URL is set: the data is on PostgreSQL. To move it to the data folder, use --back.',
    )
  }
  await requireInstallation(config)
  await requireNoNodes(url)
  const moved = await withWorkFolder(dataFolder, async (work) => {
    await requireSpace({ dataFolder, databaseUrl: undefined })
    const tell = unlessInterrupted(note)
    return moveToPostgres({ dataFolder, url, work, clock: systemClock, moveId: newMoveId(), tell })
  })
  if (json) return printJson(moved ?? {})
  if (moved) {
    const seconds = (moved.heldMs / 1000).toFixed(1)
    print(`Moved ${counted(moved.rows, 'row')}. All are equal. The server was held for ${seconds} seconds.`)
  } else print('The move is complete.')
  const key =
    secret === undefined ? `the first line of ${resolve(join(dataFolder, SECRET_FILE))}` : 'as before'
  note(`The server now answers with 503. Set this for it, and restart it:
  DATABASE_URL    the URL that you gave to --to
  BELLHOP_SECRET  ${key}
Attachments stay in ${resolve(dataFolder)}. Several servers need BELLHOP_FILES, too: see the guide "Move to PostgreSQL".`)
}

async function moveBack(json?: true): Promise<void> {
  const config = readConfig()
  const { dataFolder, databaseUrl } = config
  if (!databaseUrl) throw new StartError('Set DATABASE_URL to the database to move from.')
  const rows = await withoutServer(config, () =>
    withWorkFolder(dataFolder, async (work) => {
      await requireSpace({ dataFolder, databaseUrl })
      return moveToSqlite({ dataFolder, url: databaseUrl, work, clock: systemClock, moveId: newMoveId() })
    }),
  )
  if (json) return printJson(rows === undefined ? {} : { rows })
  print(rows === undefined ? 'The move is complete.' : `Moved ${counted(rows, 'row')}. All are equal.`)
  note(`Remove DATABASE_URL from the settings, and start the server. The data is in ${resolve(dataFolder)}.`)
}

/** After a first Ctrl-C, the next step throws `StartError`, so that nothing is left behind. A second one ends the process. */
function unlessInterrupted(tell: (step: string) => void): (step: string) => void {
  let isInterrupted = false
  process.once('SIGINT', () => {
    isInterrupted = true
    note('Stopping before the next step. Press Ctrl-C again to stop at once.')
  })
  return (step) => {
    if (isInterrupted) throw new StartError('The move was stopped. Nothing was moved.')
    tell(step)
  }
}

function newMoveId(): string {
  return randomBytes(8).toString('hex')
}
