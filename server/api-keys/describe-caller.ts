import type { Reader } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import { apiKeys, KEY_SCOPES } from '../database/tables/api-keys.ts'
import type { Deps } from '../deps.ts'
import { newestPosition } from '../events/positions.ts'
import { readSettings } from '../organizations/settings.ts'
import { VERSION } from '../version.ts'
import { type Caller, hasScope } from './require-api-key.ts'

/**
 * What a caller is, and where the events are. The position is read first: who reads the lists after this, and then the
 * events after the position, misses nothing.
 */
export async function describeCaller(deps: Deps, caller: Caller) {
  const { orgId, keyId, agentId, name, rateLimit } = caller
  const { read } = deps.database
  const newestEvent = await newestPosition(read, orgId)
  const organization = await readSettings(deps, orgId)
  const [key] = await keyName(read, { orgId, id: keyId })
  return {
    organization: { id: orgId, name: organization.name },
    key: {
      name: key?.name ?? name,
      scopes: KEY_SCOPES.filter((scope) => hasScope(caller, scope)),
      agent: agentId === undefined ? null : { id: agentId, name },
    },
    limits: {
      requestsPerMinute: rateLimit ?? deps.config.rateLimit,
      attachmentBytes: deps.config.attachmentLimitBytes,
      attachmentsPerMessage: deps.config.attachmentsPerMessage,
    },
    newestEvent,
    version: VERSION,
  }
}

/** None for the session of an agent. */
const keyName = statement('me_key', { orgId: text, id: text }, (read: Reader, p) =>
  read.select({ name: apiKeys.name }).from(apiKeys).where(matches(apiKeys, p)),
)
