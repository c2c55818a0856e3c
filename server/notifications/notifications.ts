import type { Deps } from '../deps.ts'
import type { Live } from '../live/live.ts'
import type { Reaction } from '../reactions/react-to-log.ts'
import { createAudiences } from './audiences.ts'
import { createReaction } from './notify.ts'
import { type Seen, seeTicket } from './seen.ts'

export interface Notifications {
  /** Notifies agents of events. */
  reaction: Reaction
  /** Marks an agent's notifications of a ticket as seen: they are looking at it. */
  see(seen: Seen): Promise<void>
  stop(): void
}

/** After a commit that changes notifications, the open pages of their agents load them again. */
export function createNotifications(deps: Deps, live: Live): Notifications {
  const audiences = createAudiences(deps)
  return {
    reaction: createReaction(deps, { live, audiences }),
    async see(seen) {
      if (await seeTicket(deps, seen)) live.showNotified(seen.orgId, new Set([seen.agentId]))
    },
    stop: audiences.stop,
  }
}
