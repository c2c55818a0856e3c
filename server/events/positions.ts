import type { Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { organizations } from '../database/tables/organizations.ts'
import type { Deps } from '../deps.ts'

const LOG_ID_BYTES = 6

/** Names a log of events. Another one begins where numbers may repeat: when data is restored or imported. */
export function newLogId(deps: Pick<Deps, 'randomBytes'>): string {
  return Buffer.from(deps.randomBytes(LOG_ID_BYTES)).toString('hex')
}

/** From here on, positions that clients have kept are of another log. */
export async function beginLog(deps: Deps, tx: Transaction, orgId: string): Promise<void> {
  await tx
    .update(organizations)
    .set({ logId: newLogId(deps) })
    .where(matches(organizations, { id: orgId }))
}
