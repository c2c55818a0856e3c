import { isoTime, isoTimeOrNull } from '../dates.ts'
import { isByDefault, type ReadAuthorization, returnTo, scopesNow } from './authorization.ts'
import type { ListedGrant } from './grants.ts'
import type { OAuthAddresses } from './oauth-addresses.ts'
import { redirectHost } from './redirects.ts'

/** What the agent is asked. */
export function viewAuthorization(read: ReadAuthorization, addresses: OAuthAddresses) {
  const { client, redirectUri } = read
  const scopes = 'error' in read ? [] : read.authorization.scopes
  return {
    client: { name: client.name, host: client.host ?? null },
    redirectHost: redirectHost(redirectUri) ?? null,
    scopes: scopes.map((scope) => ({ scope, isByDefault: isByDefault(scope) })),
    ...('error' in read && {
      refusal: { detail: read.error.description, returnTo: returnTo(read, addresses, read.error) },
    }),
  }
}

/** With what it can do now. */
export function viewConnectedProgram({ grant, agentName, role }: ListedGrant) {
  const { id, clientName, clientHost, scopes, agentId, createdAt, lastUsedAt } = grant
  return {
    id,
    name: clientName,
    host: clientHost,
    scopes: scopesNow(scopes, { role }),
    agent: { id: agentId, name: agentName },
    createdAt: isoTime(createdAt),
    lastUsedAt: isoTimeOrNull(lastUsedAt),
  }
}
