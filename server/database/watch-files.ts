import { statSync } from 'node:fs'
import { repeatEvery, systemClock } from '../clock.ts'
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
  const { stop } = repeatEvery(CHECK_EVERY_MS, systemClock, () => {
    const missing = watched.find(({ path, identity }) => fileIdentity(path) !== identity)
    if (missing && !faulty) log.error('file_missing', { file: missing.path, detail: missing.whenMissing })
    if (!missing && faulty) log.info('file_back', { file: faulty.path })
    faulty = missing
  })
  return { fault: () => faulty?.whenMissing, stop }
}

/** Identifies a file, to notice another one at the same path. Undefined when there is none. */
export function fileIdentity(path: string): string | undefined {
  const state = statSync(path, { throwIfNoEntry: false })
  return state && `${state.dev}:${state.ino}`
}
