import { asc, isNull } from 'drizzle-orm'
import { endpoints } from '../../database/tables/webhooks.ts'
import type { Deps } from '../../deps.ts'
import { StartError } from '../../errors.ts'

/**
 * Throws `StartError` when the endpoints' secrets were encrypted with another key. Otherwise no delivery could be
 * signed, and secrets encrypted now would be lost when the right key is restored.
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
      'The stored secrets were encrypted with another key. Restore secret.key in the data folder, or set BELLHOP_SECRET to its previous value.',
    )
  }
}
