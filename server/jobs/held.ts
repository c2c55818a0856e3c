import { type SQL, sql } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'

/** Whether the work for an id is this node's: `held` are the last characters of such ids. The same in words of both engines. */
export function isHeld(id: PgColumn | SQL, held: SQL): SQL {
  return sql`${held} like '%' || substr(${id}, length(${id})) || '%'`
}
