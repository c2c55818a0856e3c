import { Database as Connection } from 'bun:sqlite'
import { join } from 'node:path'
import type { Pulse } from '../../pulse.ts'
import { stateIn } from '../data-version.ts'
import { MOVED } from '../database.ts'
import { DATABASE_FILE } from '../open.ts'
import { dropChangeLog } from './change-log.ts'

const BUSY_TIMEOUT_MS = 5_000

export function openFile(path: string): Connection {
  const file = new Connection(path, { readwrite: true, create: false })
  file.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}; PRAGMA synchronous = FULL`)
  return file
}

/** Removes the triggers of a move that was killed, from the open database. One that is running then fails, and says so. */
export function forgetUnfinishedMove(dataFolder: string): void {
  using file = openFile(join(dataFolder, DATABASE_FILE))
  if (stateIn(file).kind !== 'marked') dropChangeLog(file)
}

/** Notices that a command has moved the data of the running server. */
export function watchMove(
  dataFolder: string,
  { externalCommits }: { externalCommits: Pulse },
): { fault(): string | undefined; stop(): void } {
  let fault: string | undefined
  const stop = externalCommits.listen(() => {
    using file = openFile(join(dataFolder, DATABASE_FILE))
    const state = stateIn(file)
    if (state.kind === 'marked') fault = `${MOVED} Restart Bellhop with DATABASE_URL.`
  })
  return { fault: () => fault, stop }
}
