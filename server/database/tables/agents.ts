import { index, integer, table, text, uniqueIndex } from '../columns.ts'
import { organizations } from './organizations.ts'

export const AGENT_ROLES = ['admin', 'agent'] as const
export type AgentRole = (typeof AGENT_ROLES)[number]

export const agents = table(
  'agents',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    name: text().notNull(),
    email: text().notNull(),
    /** The address in lower case: what makes it unique. */
    emailKey: text().notNull(),
    role: text().$type<AgentRole>().notNull(),
    /** argon2id; empty until the agent has chosen a password. */
    passwordHash: text(),
    /** When a browser of theirs last asked for something, to the minute. */
    lastSeenAt: integer(),
    disabledAt: integer(),
    createdAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('agents_by_email').on(row.orgId, row.emailKey),
    // Signing in knows an address and no organization.
    index('agents_by_address').on(row.emailKey),
  ],
)
