import { and, asc, eq, gt, isNull, ne } from 'drizzle-orm'
import { agents } from '../database/tables/agents.ts'
import { mailboxes } from '../database/tables/mailboxes.ts'
import { notificationSettings, pushSubscriptions, viewBells } from '../database/tables/notifications.ts'
import { sessions } from '../database/tables/sessions.ts'
import type { Deps } from '../deps.ts'
import { type Choices, choicesOf } from './choices.ts'

/** An agent who can be notified. */
export interface Recipient {
  agentId: string
  name: string
  choices: Choices
  /** Ids of their push subscriptions. */
  browsers: string[]
  bells: { viewId: string; push: boolean; email: boolean; createdAt: number }[]
}

/** Everyone in an organization who can be notified. */
export interface Audience {
  recipients: Recipient[]
  /** Whether emails can be sent. */
  hasMailbox: boolean
}

export interface Audiences {
  of(orgId: string): Promise<Audience>
  stop(): void
}

/** Keeps them in memory until they change: most events concern no one, and must cost no query. */
export function createAudiences(deps: Deps): Audiences {
  const known = new Map<string, Promise<Audience>>()
  const tables = [agents, sessions, mailboxes, notificationSettings, pushSubscriptions, viewBells]
  const stopListening = deps.pulse.listen(() => known.clear(), tables)
  return {
    of(orgId) {
      const audience = known.get(orgId) ?? readAudience(deps, orgId)
      known.set(orgId, audience)
      audience.catch(() => known.delete(orgId))
      return audience
    },
    stop: stopListening,
  }
}

async function readAudience({ database: { read }, clock }: Deps, orgId: string): Promise<Audience> {
  const people = await read
    .select({ id: agents.id, name: agents.name, settings: notificationSettings })
    .from(agents)
    .leftJoin(
      notificationSettings,
      and(eq(notificationSettings.orgId, agents.orgId), eq(notificationSettings.agentId, agents.id)),
    )
    .where(and(eq(agents.orgId, orgId), isNull(agents.disabledAt), ne(agents.role, 'program')))
    .orderBy(asc(agents.id))
  if (people.length === 0) return { recipients: [], hasMailbox: false }
  const subscriptions = await read
    .select({ id: pushSubscriptions.id, agentId: pushSubscriptions.agentId })
    .from(pushSubscriptions)
    .innerJoin(sessions, eq(sessions.id, pushSubscriptions.sessionId))
    .where(and(eq(pushSubscriptions.orgId, orgId), gt(sessions.expiresAt, clock.now())))
  const bells = await read.select().from(viewBells).where(eq(viewBells.orgId, orgId))
  const connected = await read
    .select({ id: mailboxes.id })
    .from(mailboxes)
    .where(and(eq(mailboxes.orgId, orgId), isNull(mailboxes.deletedAt)))
    .limit(1)
  return {
    recipients: people.map(({ id, name, settings }) => ({
      agentId: id,
      name,
      choices: choicesOf(settings ?? undefined),
      browsers: subscriptions.filter(({ agentId }) => agentId === id).map((one) => one.id),
      bells: bells.filter(({ agentId }) => agentId === id),
    })),
    hasMailbox: connected.length > 0,
  }
}
