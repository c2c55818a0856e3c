import { randomBytes } from 'node:crypto'
import { PASSWORD_COST, type PasswordCost } from './agents/password.ts'
import { createFileStore, type FileStore } from './attachments/file-store.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { readSecretKey } from './data-folder.ts'
import type { Database } from './database/database.ts'
import { openDatabase } from './database/open.ts'
import type { ActorKind } from './database/tables/audit.ts'
import { createEncryption, type Encryption } from './encryption.ts'
import { createId, type IdPrefix } from './ids.ts'
import { createLog, type Log } from './log.ts'
import { createPulse, type Pulse } from './pulse.ts'

/** The dependencies that every verb gets. Nothing else is shared in the program. */
export interface Deps {
  config: Config
  clock: Clock
  log: Log
  database: Database
  pulse: Pulse
  /** Beats when another process has committed: rows kept in memory may be stale. */
  externalCommits: Pulse
  /** The bytes of attachments and raw mails. */
  files: FileStore
  encryption: Encryption
  passwordCost: PasswordCost
  newId(prefix: IdPrefix): string
  randomBytes(size: number): Uint8Array
  /** Who the verb acts for, as shown in the audit log and in threads. */
  actor: Actor
}

/** `name` is shown to people; `address` is the IP address of an agent's request. */
export interface Actor {
  kind: ActorKind
  id?: string
  name: string
  address?: string
}

const SYSTEM: Actor = { kind: 'system', name: 'Bellhop' }

/** The same dependencies with another actor. */
export function actingAs(deps: Deps, actor: Actor): Deps {
  return { ...deps, actor }
}

/** Opens the dependencies of a command or the server. The caller closes the database. */
export async function openDeps(
  config: Config,
  given: { clock?: Clock; log?: Log; passwordCost?: PasswordCost } = {},
): Promise<Deps> {
  const clock = given.clock ?? systemClock
  const log = given.log ?? openLog(config, clock)
  const pulse = createPulse()
  const encryption = createEncryption(config.secret ?? readSecretKey(config.dataFolder))
  const database = await openDatabase(config, { log, now: clock.now, onCommit: pulse.beat })
  return {
    config,
    clock,
    log,
    database,
    pulse,
    externalCommits: createPulse(),
    files: createFileStore({ dataFolder: config.dataFolder, now: clock.now }),
    encryption,
    passwordCost: given.passwordCost ?? PASSWORD_COST,
    newId: (prefix) => createId(prefix, clock.now()),
    randomBytes: (size) => randomBytes(size),
    actor: SYSTEM,
  }
}

/** A log that writes lines to standard error. */
export function openLog(config: Config, clock: Clock): Log {
  return createLog(config.logLevel, Boolean(process.stderr.isTTY), writeToStderr, clock.now)
}

function writeToStderr(line: string): void {
  process.stderr.write(`${line}\n`)
}
