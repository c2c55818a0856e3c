import { asc, eq } from 'drizzle-orm'
import { recordAudit } from '../../../audit/audit.ts'
import { matches } from '../../../database/matches.ts'
import { oauthClients } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError, type Fault, invalid } from '../../../errors.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { type OauthProvider, PROVIDER_NAMES } from './oauth-providers.ts'

const MAX_ID_LENGTH = 255
const MAX_SECRET_LENGTH = 1_000
/** A directory id, a domain, or one of Microsoft's words for all of them. */
const TENANT = /^[\w.-]{1,255}$/
const ANY_TENANT = 'common'
/** VSCHAR of RFC 6749, appendix A. */
const PRINTABLE = /^[\x20-\x7e]+$/

export type OauthClient = typeof oauthClients.$inferSelect

interface OauthClientInput {
  clientId: string
  /** Absent to keep the stored one. */
  clientSecret?: string | undefined
  /** Microsoft's directory: `common` if absent. */
  tenant?: string | undefined
}

export function listOauthClients(deps: Deps, orgId: string): Promise<OauthClient[]> {
  return deps.database.read
    .select()
    .from(oauthClients)
    .where(eq(oauthClients.orgId, orgId))
    .orderBy(asc(oauthClients.provider))
}

/** The client with its secret in plain text. Throws 409 when there is none. */
export async function readOauthClient(
  deps: Deps,
  orgId: string,
  provider: OauthProvider,
): Promise<{ clientId: string; clientSecret: string; tenant: string }> {
  const [client] = await deps.database.read.select().from(oauthClients).where(isClient(orgId, provider))
  if (!client) {
    const name = PROVIDER_NAMES[provider]
    throw new AppError(409, 'no_oauth_client', `Enter the OAuth client for ${name} first.`)
  }
  const { clientId, tenant } = client
  return { clientId, clientSecret: deps.encryption.decrypt(client.clientSecret, orgId), tenant }
}

/** Stores the organization's own client at a provider. Throws 400 with every fault. */
export function saveOauthClient(
  deps: Deps,
  orgId: string,
  provider: OauthProvider,
  input: OauthClientInput,
): Promise<OauthClient> {
  const clientId = input.clientId.trim()
  const clientSecret = input.clientSecret?.trim()
  const tenant = provider === 'microsoft' ? input.tenant?.trim() || ANY_TENANT : ''
  const faults = faultsOf({ clientId, clientSecret, tenant })
  if (faults.length > 0) throw invalid(faults)
  const given = clientSecret === undefined ? undefined : deps.encryption.encrypt(clientSecret, orgId)
  return deps.database.write(orgId, async (tx) => {
    recordWorkspaceChange(deps, tx, orgId)
    const [before] = await tx.select().from(oauthClients).where(isClient(orgId, provider))
    // A secret belongs to its client.
    const secret = given ?? (before?.clientId === clientId ? before.clientSecret : undefined)
    if (!secret) throw invalid([SECRET_MISSING])
    const values = { clientId, clientSecret: secret, tenant, updatedAt: deps.clock.now() }
    const [saved] = await tx
      .insert(oauthClients)
      .values({ orgId, provider, ...values })
      .onConflictDoUpdate({ target: [oauthClients.orgId, oauthClients.provider], set: values })
      .returning()
    if (!saved) throw new Error('The OAuth client was not stored.')
    const subject = { label: PROVIDER_NAMES[provider] }
    await recordAudit(deps, tx, orgId, { action: 'oauth_client.saved', subject })
    return saved
  })
}

/** Its mailboxes work until their access tokens end. Does nothing when there is none. */
export async function removeOauthClient(deps: Deps, orgId: string, provider: OauthProvider): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    recordWorkspaceChange(deps, tx, orgId)
    const removed = await tx.delete(oauthClients).where(isClient(orgId, provider)).returning()
    if (removed.length === 0) return
    const subject = { label: PROVIDER_NAMES[provider] }
    await recordAudit(deps, tx, orgId, { action: 'oauth_client.removed', subject })
  })
}

const SECRET_MISSING: Fault = {
  pointer: '/clientSecret',
  code: 'required',
  detail: 'Enter the secret of this client.',
}

function faultsOf({ clientId, clientSecret, tenant }: OauthClientInput): Fault[] {
  const faults: Fault[] = []
  if (!PRINTABLE.test(clientId) || clientId.length > MAX_ID_LENGTH) {
    const detail = `Must be 1 to ${MAX_ID_LENGTH} printable ASCII characters.`
    faults.push({ pointer: '/clientId', code: 'invalid_client', detail })
  }
  if (
    clientSecret !== undefined &&
    (!PRINTABLE.test(clientSecret) || clientSecret.length > MAX_SECRET_LENGTH)
  ) {
    const detail = `Must be 1 to ${MAX_SECRET_LENGTH} printable ASCII characters.`
    faults.push({ pointer: '/clientSecret', code: 'invalid_client', detail })
  }
  if (tenant && !TENANT.test(tenant)) {
    const detail = 'Must be the id or domain of a directory, common, organizations, or consumers.'
    faults.push({ pointer: '/tenant', code: 'invalid_tenant', detail })
  }
  return faults
}

function isClient(orgId: string, provider: OauthProvider) {
  return matches(oauthClients, { orgId, provider })
}
