import { lte } from 'drizzle-orm'
import { deleteFiles } from '../attachments/queries.ts'
import { suggestions } from '../database/tables/threads.ts'
import type { Deps } from '../deps.ts'
import { startPruning } from '../jobs/pruning.ts'
import type { Loop } from '../loop.ts'
import { deleteSuggestions } from './erase-suggestions.ts'

const KEPT_MS = 90 * 86_400_000
const PRUNE_EVERY_MS = 3_600_000
const SLICE = 200

/** Deletes suggestions that were closed 90 days ago, and their files. */
export function startPruningSuggestions(deps: Deps): Loop {
  return startPruning(deps, 'prune_suggestions', {
    everyMs: PRUNE_EVERY_MS,
    slice: () => pruneSuggestions(deps),
  })
}

/** Deletes some. Returns whether there may be more. */
export async function pruneSuggestions(deps: Deps): Promise<boolean> {
  const old = await deps.database.read
    .select({ id: suggestions.id })
    .from(suggestions)
    .where(lte(suggestions.closedAt, deps.clock.now() - KEPT_MS))
    .limit(SLICE)
  if (old.length === 0) return false
  const ids = old.map(({ id }) => id)
  // A closed one never changes.
  const files = await deps.database.write(undefined, (tx) => deleteSuggestions(tx, ids))
  await deleteFiles(deps, files)
  return old.length === SLICE
}
