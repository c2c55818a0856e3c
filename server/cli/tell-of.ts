import type { Deps } from '../deps.ts'
import { tellPages } from '../events/workspace-changed.ts'

/**
 * A change that does not tell the open pages by itself, with the hint behind it: the server beside the command passes
 * it on when it notices the commit.
 */
export async function tellOf<T>(deps: Deps, orgId: string, change: Promise<T>): Promise<T> {
  const done = await change
  await tellPages(deps, orgId)
  return done
}
