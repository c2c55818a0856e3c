import { boolean, integer, json, table, text } from '../columns.ts'

/** The running servers of this database. On SQLite there is one, and no row. */
export const nodes = table('nodes', {
  id: text().primaryKey(),
  version: text().notNull(),
  /** What all nodes must have in common, by name: values or their fingerprints. Also what only doctor looks at. */
  settings: json().$type<Record<string, string>>().notNull(),
  startedAt: integer().notNull(),
  /** The database's time, in milliseconds since 1970. Until then, no other node takes its partitions. */
  leaseUntil: integer().notNull(),
  /** It takes no partitions anymore, because it is about to stop. */
  isRetiring: boolean().notNull().default(false),
})

/**
 * The background work of all organizations, in as many parts as an id can end with characters. Each part is done by one
 * node. The first node makes the rows.
 */
export const partitions = table('partitions', {
  /** The last character of the ids whose work is in this partition. */
  id: text().primaryKey(),
  /** Null while no node has it. */
  nodeId: text(),
  /** One more with each holder. */
  token: integer().notNull(),
})

/** Something that counts towards a limit. */
export interface Counted {
  id: string
  /** Until when it counts, less the length of the window. */
  at: number
  count: number
  /** An attempt whose result isn't known yet, or requests that a node may still accept. */
  isOpen: boolean
}

/**
 * What counts towards a limit that all nodes share: the newest failed sign-ins of an account, the newest requests with a
 * key. Nothing is lost with it but counts of a few minutes, so on PostgreSQL it is an unlogged table.
 */
export const rollingWindows = table('rolling_windows', {
  /** What is counted, by whom. Without names and addresses in plain text. */
  key: text().primaryKey(),
  counted: json().$type<Counted[]>().notNull(),
  /** When nothing in it counts anymore. */
  expiresAt: integer().notNull(),
})

/** What is known of the installation as a whole: one row on PostgreSQL, none on SQLite. */
export const installation = table('installation', {
  /** Always `installation`. */
  id: text().primaryKey(),
  /** Tells whether a server has the secret that the others had. */
  secretFingerprint: text().notNull(),
  /** Of the PostgreSQL server, when it was last looked at. */
  history: json().$type<History>(),
})

/** By which a server notices that the database was restored or that a standby took over. */
export interface History {
  identity: string
  timeline: string
  isSynchronous: boolean
}
