import { index, integer, table, text, uniqueIndex } from '../columns.ts'
import { agents } from './agents.ts'
import { organizations } from './organizations.ts'

/** What a one-time link is for. */
export const LINK_PURPOSES = ['invitation', 'reset'] as const
export type LinkPurpose = (typeof LINK_PURPOSES)[number]

/** Signed-in browsers. The cookie holds a random token, the row its SHA-256 hash. */
export const sessions = table(
  'sessions',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    agentId: text()
      .notNull()
      .references(() => agents.id),
    hash: text().notNull(),
    /** The browser's user agent, truncated, for the agent to recognize it by. */
    device: text().notNull().default(''),
    address: text().notNull().default(''),
    createdAt: integer().notNull(),
    lastSeenAt: integer().notNull(),
    /** Extended while the session is used, up to a limit from `createdAt`. */
    expiresAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('sessions_by_hash').on(row.hash),
    index('sessions_by_agent').on(row.orgId, row.agentId, row.lastSeenAt),
    index('sessions_by_expiry').on(row.expiresAt),
  ],
)

/** One-time links for setting a password: invitations, and resets by an administrator. */
export const agentLinks = table(
  'agent_links',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    agentId: text()
      .notNull()
      .references(() => agents.id),
    purpose: text().$type<LinkPurpose>().notNull(),
    /** SHA-256 of the token, hex. */
    hash: text().notNull(),
    createdAt: integer().notNull(),
    expiresAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('agent_links_by_hash').on(row.hash),
    index('agent_links_by_agent').on(row.orgId, row.agentId),
    index('agent_links_by_expiry').on(row.expiresAt),
  ],
)
