import { index, integer, json, table, text, uniqueIndex } from '../columns.ts'
import { agents } from './agents.ts'
import type { KeyScope } from './api-keys.ts'
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

/** Programs that agents let act for them over OAuth. Ended ones are deleted; the audit log keeps that they existed. */
export const programGrants = table(
  'program_grants',
  {
    id: text().primaryKey(),
    orgId: text()
      .notNull()
      .references(() => organizations.id),
    agentId: text()
      .notNull()
      .references(() => agents.id),
    /** The address of the client's metadata document, or a registration that we sealed. */
    clientId: text().notNull(),
    clientName: text().notNull(),
    /** Where it sends people back to. */
    clientHost: text().notNull(),
    scopes: json().$type<KeyScope[]>().notNull(),
    createdAt: integer().notNull(),
    lastUsedAt: integer(),
    /** When its last refresh token ends. */
    expiresAt: integer().notNull(),
  },
  (row) => [
    index('program_grants_by_agent').on(row.orgId, row.agentId, row.createdAt),
    index('program_grants_by_expiry').on(row.expiresAt),
  ],
)

export const GRANT_TOKEN_KINDS = ['code', 'access', 'refresh'] as const
export type GrantTokenKind = (typeof GRANT_TOKEN_KINDS)[number]

/** What a code must be redeemed with. */
export interface CodeTerms {
  redirectUri: string
  /** SHA-256 of the verifier, base64url (PKCE). */
  challenge: string
}

/** Codes, access tokens, and refresh tokens. A used one is kept until it ends: its second use ends the grant. */
export const grantTokens = table(
  'grant_tokens',
  {
    /** SHA-256 of the token, hex. */
    hash: text().primaryKey(),
    orgId: text().notNull(),
    grantId: text()
      .notNull()
      .references(() => programGrants.id),
    kind: text().$type<GrantTokenKind>().notNull(),
    /** Of a code. */
    terms: json().$type<CodeTerms | null>(),
    usedAt: integer(),
    expiresAt: integer().notNull(),
  },
  (row) => [
    index('grant_tokens_by_grant').on(row.grantId),
    index('grant_tokens_by_expiry').on(row.expiresAt),
  ],
)
