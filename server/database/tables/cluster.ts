import { integer, json, table, text } from '../columns.ts'

/** The running servers of this database. On SQLite there is one, and no row. */
export const nodes = table('nodes', {
  id: text().primaryKey(),
  version: text().notNull(),
  /** What all nodes must have in common, by name: values or their fingerprints. */
  settings: json().$type<Record<string, string>>().notNull(),
  startedAt: integer().notNull(),
  /** The database's time, in milliseconds since 1970. Until then, no other node takes its partitions. */
  leaseUntil: integer().notNull(),
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
