import { index, integer, table, text } from '../columns.ts'

/** Automatic backups of the whole installation that ended, the newest ones only. */
export const backups = table(
  'backups',
  {
    id: text().primaryKey(),
    startedAt: integer().notNull(),
    endedAt: integer().notNull(),
    /** Name of the file; empty when it failed. */
    name: text().notNull().default(''),
    /** Size of the file. */
    bytes: integer().notNull().default(0),
    /** One sentence; empty when it succeeded. */
    error: text().notNull().default(''),
  },
  (row) => [index('backups_by_start').on(row.startedAt)],
)
