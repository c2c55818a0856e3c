import { asc, isNull } from 'drizzle-orm'
import { endpoints } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { StartError } from '../../errors.ts'

/**
 * Throws `StartError` when the endpoints' secrets were encrypted with another key than this process has: nothing could
 * be signed, and new secrets would be lost as soon as the right key is back.
 */
export async function verifySecretKey(deps: Deps): Promise<void> {
  const [endpoint] = await deps.database.read
    .select({ id: endpoints.id, secret: endpoints.secret })
    .from(endpoints)
    .where(isNull(endpoints.deletedAt))
    .orderBy(asc(endpoints.createdAt))
    .limit(1)
  if (!endpoint) return
  try {
    deps.encryption.decrypt(endpoint.secret, endpoint.id)
  } catch {
    throw new StartError(
      'The stored secrets were encrypted with another key. Put the old secret.key back into the data folder, or set BELLHOP_SECRET to its old value.',
    )
  }
}
