import { statSync } from 'node:fs'
import { systemClock } from '../clock.ts'
import type { Log } from '../log.ts'

const CHECK_EVERY_MS = 500

/**
 * A file that must stay in place while the server runs, and the message for people who use the server if it doesn't.
 */
export interface WatchedFile {
  path: string
  whenMissing: string
}

interface FileWatch {
  /** The current fault, for responses; undefined while every file is in place. */
  fault(): string | undefined
  stop(): void
}

/**
 * Notices that a file was deleted or replaced under the running server. The server still has the deleted file open, and
 * would continue with data that no one finds again after a restart. Uses real time: tests move the clock of the dependencies.
 */
export function watchFiles({ log }: { log: Log }, files: WatchedFile[]): FileWatch {
  const watched = files.map((file) => ({ ...file, identity: fileIdentity(file.path) }))
  let faulty: WatchedFile | undefined
  let cancelTimer = systemClock.after(CHECK_EVERY_MS, check)

  function check(): void {
    const found = watched.find(({ path, identity }) => fileIdentity(path) !== identity)
    if (found && !faulty) log.error('file_missing', { file: found.path, detail: found.whenMissing })
    if (!found && faulty) log.info('file_back', { file: faulty.path })
    faulty = found
    cancelTimer = systemClock.after(CHECK_EVERY_MS, check)
  }

  return { fault: () => faulty?.whenMissing, stop: () => cancelTimer() }
}

/** Identifies a file, to notice another one at the same path. Undefined when there is none. */
export function fileIdentity(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  return found && `${found.dev}:${found.ino}`
}
