import type { Config } from '../config.ts'
import { isoTime } from '../dates.ts'
import type { Link } from './accept-link.ts'
import type { BrowserSession } from './account.ts'
import { deviceName } from './device.ts'
import type { SignedIn } from './sessions.ts'

/** Who is signed in, and the limits of the server, for the page. */
export function viewSession(
  { sessionId, expiresAt, orgId, orgName, agentId, name, email, role, sendsByEnter }: SignedIn,
  { attachmentLimitBytes, attachmentsPerMessage }: Config,
) {
  return {
    agent: { id: agentId, name, email, role, sendsByEnter },
    organization: { id: orgId, name: orgName },
    session: { id: sessionId, expiresAt: isoTime(expiresAt) },
    limits: { attachmentBytes: attachmentLimitBytes, attachmentsPerMessage },
  }
}

/** An entry in the list of signed-in browsers. */
export function viewBrowser(session: BrowserSession, { sessionId }: SignedIn) {
  return {
    id: session.id,
    device: deviceName(session.device),
    address: session.address,
    createdAt: isoTime(session.createdAt),
    lastSeenAt: isoTime(session.lastSeenAt),
    isCurrent: session.id === sessionId,
  }
}

/** What a one-time link is for, before it is used. */
export function viewLink({ purpose, orgName, name, email }: Link) {
  return { purpose, organization: { name: orgName }, agent: { name, email } }
}
