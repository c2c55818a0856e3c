import { isoTime } from '../dates.ts'
import type { Agent } from './agents.ts'
import type { OneTimeLink } from './one-time-links.ts'

export const AGENT_STATES = ['active', 'invited', 'disabled'] as const

export function viewAgent(agent: Agent) {
  const { id, name, email, role, lastSeenAt, picture } = agent
  return {
    id,
    name,
    email,
    role,
    state: stateOf(agent),
    createdAt: isoTime(agent.createdAt),
    // A new picture has another address.
    ...(picture !== null && { picture: `/console/agents/${id}/picture?v=${picture.slice(0, 8)}` }),
    ...(lastSeenAt === null ? {} : { lastSeenAt: isoTime(lastSeenAt) }),
  }
}

/** `base` is the server's public URL. The fragment after `#` is never sent to a server, so no log contains it. */
export function viewLink(base: string, { token, purpose, expiresAt }: OneTimeLink) {
  return { url: `${base}/join#${token}`, expiresAt: isoTime(expiresAt), purpose }
}

/** `invited`: hasn't set a password yet. A program has none. */
function stateOf({ disabledAt, canSignIn, role }: Agent): (typeof AGENT_STATES)[number] {
  if (disabledAt !== null) return 'disabled'
  return canSignIn || role === 'program' ? 'active' : 'invited'
}
