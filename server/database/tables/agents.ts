import { boolean, index, integer, table, text, uniqueIndex } from '../columns.ts'
import { organizations } from './organizations.ts'

/** Of people, who sign in. */
export const PERSON_ROLES = ['admin', 'agent'] as const
export type PersonRole = (typeof PERSON_ROLES)[number]
/** A `program` can't sign in. It works through the keys that belong to it. */
export const AGENT_ROLES = [...PERSON_ROLES, 'program'] as const
export type AgentRole = (typeof AGENT_ROLES)[number]

export const agents = table(
  'agents',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    name: text().notNull(),
    /** Empty for a program. */
    email: text().notNull(),
    /** The email in lower case, unique per organization. A program's id. */
    emailKey: text().notNull(),
    /** Markdown, added to the agent's email replies above the mailbox's signature. */
    signature: text().notNull().default(''),
    role: text().$type<AgentRole>().notNull(),
    /** The hash of the file with the picture that customers see; null for none. */
    picture: text(),
    /** Enter sends what they write in a chat; it begins a line otherwise. */
    sendsByEnter: boolean().notNull().default(false),
    /** argon2id; null until the agent sets a password. */
    passwordHash: text(),
    /** When one of their browsers last made a request, to the minute. */
    lastSeenAt: integer(),
    disabledAt: integer(),
    createdAt: integer().notNull(),
  },
  (row) => [
    uniqueIndex('agents_by_email').on(row.orgId, row.emailKey),
    // Sign-in knows the email, but not the organization.
    index('agents_by_address').on(row.emailKey),
  ],
)
