import type { Transaction } from '../database/database.ts'
import { type CodeTerms, type GrantTokenKind, grantTokens } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'
import { hashToken, newToken } from '../encryption.ts'

const MINUTE_MS = 60_000
/** RFC 6749, section 4.1.2 recommends at most ten minutes. */
export const CODE_MS = 5 * MINUTE_MS
export const ACCESS_MS = 60 * MINUTE_MS
export const REFRESH_MS = 30 * 24 * 60 * MINUTE_MS

const LIFETIME_MS = { code: CODE_MS, access: ACCESS_MS, refresh: REFRESH_MS } as const satisfies Record<
  GrantTokenKind,
  number
>
/** That people and secret scanners recognize. */
const START = {
  code: 'bellhop_oc_',
  access: 'bellhop_oa_',
  refresh: 'bellhop_or_',
} as const satisfies Record<GrantTokenKind, string>

/** Adds a token of 256 random bits to a grant. Only the program has it: the database keeps its SHA-256. */
export async function issueToken(
  deps: Deps,
  tx: Transaction,
  { orgId, id: grantId }: { orgId: string; id: string },
  { kind, terms = null }: { kind: GrantTokenKind; terms?: CodeTerms | null },
): Promise<string> {
  const token = START[kind] + newToken(deps)
  const expiresAt = deps.clock.now() + LIFETIME_MS[kind]
  await tx
    .insert(grantTokens)
    .values({ hash: hashToken(token), orgId, grantId, kind, terms, usedAt: null, expiresAt })
  return token
}
