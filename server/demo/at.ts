import { type Actor, actingAs, type Deps } from '../deps.ts'
import { createId } from '../ids.ts'

/** The same dependencies at another time: what is written through them happened then, and has ids of then. */
export function at(deps: Deps, time: number, actor: Actor = deps.actor): Deps {
  const clock = { ...deps.clock, now: () => time }
  return { ...actingAs(deps, actor), clock, newId: (prefix) => createId(prefix, time) }
}
