import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { PASSWORD_COST, type PasswordCost } from './agents/password.ts'
import { openBucket } from './attachments/bucket.ts'
import { BucketFiles } from './attachments/bucket-files.ts'
import type { FileStore } from './attachments/file-store.ts'
import { FolderFiles } from './attachments/folder-files.ts'
import { channels } from './channels/registry.ts'
import { type Clock, systemClock } from './clock.ts'
import { alone, type Cluster } from './cluster/cluster.ts'
import { askTime, createDatabaseClock } from './cluster/database-clock.ts'
import type { joinCluster } from './cluster/join-cluster.ts'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import { createExpensiveReads } from './database/expensive-reads.ts'
import { openDatabase } from './database/open.ts'
import type { Actor, Deps } from './deps.ts'
import { createEncryption } from './encryption.ts'
import { createId } from './ids.ts'
import { createLog, type Log } from './log.ts'
import { namingFullDisk, readSecretKey, renewNodeId } from './machine/data-folder.ts'
import { describeS3 } from './network/s3.ts'
import { isSetUp } from './organizations/directory.ts'
import { createPulse } from './pulse.ts'
import { VERSION } from './version.ts'

const ATTACHMENTS_FOLDER = 'attachments'
/** Of files that are in a bucket. */
const CACHE_FOLDER = 'files-cache'
const SYSTEM: Actor = { kind: 'system', name: 'Bellhop' }

interface Given {
  clock?: Clock
  log?: Log
  passwordCost?: PasswordCost
  /** Of a server, and not a command: it joins those that share its database. */
  isNode?: boolean
}

/**
 * Opens the dependencies of a command or the server. The caller closes the database. Throws `StartError` when the data
 * folder can't be used.
 */
export function openDeps(config: Config, given: Given = {}): Promise<Deps> {
  return namingFullDisk(config.dataFolder, () => open(config, given))
}

async function open(config: Config, given: Given): Promise<Deps> {
  const log = given.log ?? openLog(config, given.clock ?? systemClock)
  const pulse = createPulse()
  const externalCommits = createPulse()
  const databaseClock = createDatabaseClock(systemClock)
  const clock = given.clock ?? (config.databaseUrl === undefined ? systemClock : databaseClock)
  let cluster = alone
  const database = await openDatabase(config, {
    log,
    now: clock.now,
    isNode: given.isNode === true,
    onCommit(written, orgIds, isUncertain) {
      // Nothing else would empty the caches here.
      if (isUncertain) externalCommits.beat(written)
      pulse.beat(written, orgIds)
      cluster.bus.announce(written, orgIds)
    },
  })
  if (config.databaseUrl !== undefined && !given.isNode) await askTime(database.read, databaseClock)
  const encryption = createEncryption(await secretOf(config, database))
  if (given.isNode && config.databaseUrl !== undefined) {
    cluster = await joinOthers(config, {
      log,
      secret: encryption.sign('node', ''),
      onWritten(written, orgIds) {
        externalCommits.beat(written)
        pulse.beat(written, orgIds)
      },
      onTime: databaseClock.correct,
    }).catch(async (error) => {
      await database.close()
      throw error
    })
  }
  return {
    config,
    clock,
    log,
    database,
    pulse,
    externalCommits,
    cluster,
    expensiveReads: createExpensiveReads(),
    files: openFiles(config, { database, log, now: clock.now }),
    encryption,
    channels,
    passwordCost: given.passwordCost ?? PASSWORD_COST,
    newId: (prefix) => createId(prefix, clock.now()),
    randomBytes: (size) => randomBytes(size),
    actor: SYSTEM,
  }
}

/** Loads PostgreSQL only when it is used. */
async function joinOthers(
  config: Config,
  { secret, ...given }: Omit<Parameters<typeof joinCluster>[0], 'url' | 'node'> & { secret: string },
): Promise<Cluster> {
  const { joinCluster } = await import('./cluster/join-cluster.ts')
  const { databaseUrl: url = '', dataFolder, files, publicUrl } = config
  const settings = {
    BELLHOP_SECRET: secret,
    BELLHOP_URL: publicUrl ?? '',
    BELLHOP_FILES: files ? describeS3(files) : '',
    ...(files && {
      AWS_ENDPOINT_URL_S3: files.endpoint ?? '',
      AWS_REGION: files.region,
    }),
  }
  const node = { ...renewNodeId(dataFolder), version: VERSION, settings, shown: shownOf(config) }
  return joinCluster({ url, node, ...given })
}

function shownOf(config: Config): Record<string, string> {
  return {
    host: hostname(),
    BELLHOP_RATE_LIMIT: String(config.rateLimit),
    BELLHOP_MCP_REPLIES: String(config.toolLimits.send_reply),
    BELLHOP_MCP_SUGGESTIONS: String(config.toolLimits.suggest_reply),
    BELLHOP_ATTACHMENT_LIMIT: String(config.attachmentLimitBytes),
    BELLHOP_ATTACHMENTS_PER_MESSAGE: String(config.attachmentsPerMessage),
    BELLHOP_VISITOR_UPLOADS: String(config.visitorUploadBytes),
  }
}

function openFiles(
  { files, dataFolder }: Config,
  { now, ...given }: { database: Database; log: Log; now: () => number },
): FileStore {
  if (!files) return new FolderFiles(join(dataFolder, ATTACHMENTS_FOLDER), now)
  const cache = new FolderFiles(join(dataFolder, CACHE_FOLDER), now)
  return new BucketFiles(openBucket(files), { ...given, cache, now })
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
