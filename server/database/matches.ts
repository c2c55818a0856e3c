import { and, eq, getTableColumns, type SQL, type SQLWrapper } from 'drizzle-orm'
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core'

/**
 * Whether the columns of a row have these values, or those of these parameters: `matches(tickets, { orgId, id })`. A name
 * that is no column of the table doesn't compile, and neither does null, which equals nothing.
 */
export function matches<Table extends PgTable, Values extends object>(
  table: Table,
  values: Values & {
    [Name in keyof Values]: Name extends keyof Table['$inferSelect']
      ? NonNullable<Table['$inferSelect'][Name]> | SQLWrapper
      : never
  },
): SQL | undefined {
  const columns: Record<string, PgColumn> = getTableColumns<PgTable>(table)
  const equal = Object.entries(values).map(([name, value]) => {
    const column = columns[name]
    if (!column) throw new Error(`There is no column ${name}.`)
    return eq(column, value)
  })
  return and(...equal)
}
