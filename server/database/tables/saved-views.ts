import { boolean, index, integer, table, text } from '../columns.ts'
import { organizations } from './organizations.ts'

/** Searches shown in the rail. */
export const savedViews = table(
  'saved_views',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    /** Who created it. Only they see it unless it is shared. */
    agentId: text().notNull(),
    isShared: boolean().notNull().default(false),
    name: text().notNull(),
    query: text().notNull(),
    createdAt: integer().notNull(),
  },
  (row) => [index('saved_views_by_organization').on(row.orgId, row.createdAt, row.id)],
)
