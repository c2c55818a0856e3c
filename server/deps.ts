import type { PasswordCost } from './agents/password.ts'
import type { FileStore } from './attachments/file-store.ts'
import type { Clock } from './clock.ts'
import type { Cluster } from './cluster/cluster.ts'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import type { ExpensiveReads } from './database/expensive-reads.ts'
import type { ActorKind } from './database/tables/audit.ts'
import type { Encryption } from './encryption.ts'
import type { IdPrefix } from './ids.ts'
import type { Log } from './log.ts'
import type { Pulse } from './pulse.ts'

/** The dependencies that every verb gets. Nothing else is shared in the program. */
export interface Deps {
  config: Config
  clock: Clock
  log: Log
  database: Database
  /** The other servers of this database, and the part of the background work that is this one's. */
  cluster: Cluster
  pulse: Pulse
  /** Beats when another process has committed, so that rows in memory may be old. */
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

/** The same dependencies with another actor. */
export function actingAs(deps: Deps, actor: Actor): Deps {
  return { ...deps, actor }
}
