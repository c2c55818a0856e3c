import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { PASSWORD_COST, type PasswordCost } from './agents/password.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import { openDatabase } from './database/open.ts'
import type { ActorKind } from './database/tables/audit.ts'
import { createSealer, type Sealer, SHORTEST_SECRET } from './encryption.ts'
import { createId, type IdPrefix } from './ids.ts'
import { createLog, type Log } from './log.ts'
import { createPulse, type Pulse } from './pulse.ts'
import { StartError } from './start-error.ts'

/** What every verb is given. Nothing else in the program is shared. */
export interface Deps {
  config: Config
  clock: Clock
  log: Log
  database: Database
  pulse: Pulse
  /** Beats when another process has committed: rows kept in memory may be stale. */
  externalCommits: Pulse
  sealer: Sealer
  passwordCost: PasswordCost
  newId(prefix: IdPrefix): string
  randomBytes(size: number): Uint8Array
  /** In whose name a verb works: what the audit log and the lines of a thread say. */
  actor: Actor
}

/** `name` is what people read; `address` is where an agent's request came from. */
export interface Actor {
  kind: ActorKind
  id?: string
  name: string
  address?: string
}

const OURSELVES: Actor = { kind: 'system', name: 'Bellhop' }

/** The same dependencies, used by somebody. */
export function actingAs(deps: Deps, actor: Actor): Deps {
  return { ...deps, actor }
}

const SECRET_FILE = 'secret.key'

/** Opens everything a command or the server stands on. `close` the database when done. */
export async function openDeps(
  config: Config,
  given: { clock?: Clock; log?: Log; passwordCost?: PasswordCost } = {},
): Promise<Deps> {
  const clock = given.clock ?? systemClock
  const log = given.log ?? openLog(config, clock)
  const pulse = createPulse()
  const sealer = createSealer(config.secret ?? secretOfFolder(config.dataFolder))
  const database = await openDatabase(config, { log, now: clock.now, onCommit: pulse.beat })
  return {
    config,
    clock,
    log,
    database,
    pulse,
    externalCommits: createPulse(),
    sealer,
    passwordCost: given.passwordCost ?? PASSWORD_COST,
    newId: (prefix) => createId(prefix, clock.now()),
    randomBytes: (size) => randomBytes(size),
    actor: OURSELVES,
  }
}

/** The log of a program that people start: lines on standard error. */
export function openLog(config: Config, clock: Clock): Log {
  return createLog(config.logLevel, Boolean(process.stderr.isTTY), writeToStderr, clock.now)
}

/**
 * Made once, readable by the owner only. Linked into place whole, so that two processes on an empty folder agree, and
 * on the disk before anything is sealed with it. Throws `StartError` when what is there cannot be a key.
 */
function secretOfFolder(folder: string): string {
  const file = join(folder, SECRET_FILE)
  if (!existsSync(file)) makeSecret(folder, file)
  const secret = readFileSync(file, 'utf8').trim()
  if (secret.length >= SHORTEST_SECRET) return secret
  throw new StartError(
    `${file} is empty or cut short. Put the key from your backup there: without it the stored secrets cannot be read.`,
  )
}

function makeSecret(folder: string, file: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  writeFileSync(draft, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flush: true })
  try {
    linkSync(draft, file)
  } catch (error) {
    if (!existsSync(file)) throw error
  } finally {
    unlinkSync(draft)
  }
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}

function writeToStderr(line: string): void {
  process.stderr.write(`${line}\n`)
}
