import { randomBytes } from 'node:crypto'
import { PASSWORD_COST, type PasswordCost } from './agents/password.ts'
import { FileStore } from './attachments/file-store.ts'
import { channels } from './channels/registry.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import { createExpensiveReads } from './database/expensive-reads.ts'
import { openDatabase } from './database/open.ts'
import type { Actor, Deps } from './deps.ts'
import { createEncryption } from './encryption.ts'
import { createId } from './ids.ts'
import { createLog, type Log } from './log.ts'
import { namingFullDisk, readSecretKey } from './machine/data-folder.ts'
import { isSetUp } from './organizations/directory.ts'
import { createPulse } from './pulse.ts'

const SYSTEM: Actor = { kind: 'system', name: 'Bellhop' }

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
    files: new FileStore({ dataFolder: config.dataFolder, now: clock.now }),
    encryption,
    channels,
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
    return readSecretKey(dataFolder, !(await isSetUp(database.read)))
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
