import { randomBytes } from 'node:crypto'
import { PASSWORD_COST, type PasswordCost } from './agents/password.ts'
import { createFileStore, type FileStore } from './attachments/file-store.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import { namingFullDisk, readSecretKey } from './data-folder.ts'
import type { Database } from './database/database.ts'
import { openDatabase } from './database/open.ts'
import type { ActorKind } from './database/tables/audit.ts'
import { organizations } from './database/tables/organizations.ts'
import { createEncryption, type Encryption } from './encryption.ts'
import { createExpensiveReads, type ExpensiveReads } from './expensive-reads.ts'
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
  /** For what may examine many rows, such as a search. */
  expensiveReads: ExpensiveReads
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

type Given = { clock?: Clock; log?: Log; passwordCost?: PasswordCost }

/**
 * Opens the dependencies of a command or the server. The caller closes the database. Throws `StartError` when the data
 * folder can't be used.
 */
export function openDeps(config: Config, given: Given = {}): Promise<Deps> {
  return namingFullDisk(config.dataFolder, () => open(config, given))
}

async function open(config: Config, given: Given): Promise<Deps> {
  const clock = given.clock ?? systemClock
  const log = given.log ?? openLog(config, clock)
  const pulse = createPulse()
  const database = await openDatabase(config, { log, now: clock.now, onCommit: pulse.beat })
  const encryption = createEncryption(await secretOf(config, database))
  return {
    config,
    clock,
    log,
    database,
    pulse,
    externalCommits: createPulse(),
    expensiveReads: createExpensiveReads(),
    files: createFileStore({ dataFolder: config.dataFolder, now: clock.now }),
    encryption,
    passwordCost: given.passwordCost ?? PASSWORD_COST,
    newId: (prefix) => createId(prefix, clock.now()),
    randomBytes: (size) => randomBytes(size),
    actor: SYSTEM,
  }
}

/** The key of the data folder. An installation without an organization has nothing encrypted yet. */
async function secretOf({ secret, dataFolder }: Config, database: Database): Promise<string> {
  if (secret !== undefined) return secret
  try {
    const some = await database.read.select({ id: organizations.id }).from(organizations).limit(1)
    return readSecretKey(dataFolder, some.length === 0)
  } catch (error) {
    await database.close()
    throw error
  }
}

/** A log that writes lines to standard error. */
export function openLog(config: Config, clock: Clock): Log {
  return createLog(config.logLevel, Boolean(process.stderr.isTTY), writeToStderr, clock.now)
}

function writeToStderr(line: string): void {
  process.stderr.write(`${line}\n`)
}
