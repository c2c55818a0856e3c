import { and, eq, isNotNull, isNull, or } from 'drizzle-orm'
import { agents } from '../database/tables/agents.ts'
import { apiKeys } from '../database/tables/api-keys.ts'
import { bots } from '../database/tables/bots.ts'
import { mailboxes } from '../database/tables/mailboxes.ts'
import { endpoints } from '../database/tables/webhooks.ts'
import { widgets } from '../database/tables/widgets.ts'
import type { Deps } from '../deps.ts'

/** An organization's setup steps, in display order. */
export const FIRST_STEPS = ['email', 'widget', 'telegram', 'agents', 'key', 'endpoint'] as const
type FirstStep = (typeof FIRST_STEPS)[number]
export const STEP_STATES = ['done', 'todo'] as const
type StepState = (typeof STEP_STATES)[number]

/** Returns the state of each setup step. */
export async function readChecklist(
  deps: Deps,
  orgId: string,
): Promise<{ id: FirstStep; state: StepState }[]> {
  const states: Record<FirstStep, Promise<StepState>> = {
    key: stateOf(hasKey(deps, orgId)),
    email: stateOf(hasMailbox(deps, orgId)),
    widget: stateOf(hasWidget(deps, orgId)),
    telegram: stateOf(hasBot(deps, orgId)),
    agents: stateOf(hasColleagues(deps, orgId)),
    endpoint: stateOf(hasEndpoint(deps, orgId)),
  }
  return Promise.all(FIRST_STEPS.map(async (id) => ({ id, state: await states[id] })))
}

async function stateOf(isDone: Promise<boolean>): Promise<StepState> {
  return (await isDone) ? 'done' : 'todo'
}

async function hasKey({ database: { read } }: Deps, orgId: string): Promise<boolean> {
  const isSecret = and(eq(apiKeys.orgId, orgId), eq(apiKeys.kind, 'secret'), isNull(apiKeys.revokedAt))
  const some = await read.select({ id: apiKeys.id }).from(apiKeys).where(isSecret).limit(1)
  return some.length > 0
}

/** One that waits for the sign-in at its provider is not connected yet. */
async function hasMailbox({ database: { read } }: Deps, orgId: string): Promise<boolean> {
  const isSignedIn = or(eq(mailboxes.signIn, 'password'), isNotNull(mailboxes.tokens))
  const isConnected = and(eq(mailboxes.orgId, orgId), isNull(mailboxes.deletedAt), isSignedIn)
  const some = await read.select({ id: mailboxes.id }).from(mailboxes).where(isConnected).limit(1)
  return some.length > 0
}

async function hasWidget({ database: { read } }: Deps, orgId: string): Promise<boolean> {
  const isThere = and(eq(widgets.orgId, orgId), isNull(widgets.deletedAt))
  const some = await read.select({ id: widgets.id }).from(widgets).where(isThere).limit(1)
  return some.length > 0
}

async function hasBot({ database: { read } }: Deps, orgId: string): Promise<boolean> {
  const isThere = and(eq(bots.orgId, orgId), isNull(bots.deletedAt))
  const some = await read.select({ id: bots.id }).from(bots).where(isThere).limit(1)
  return some.length > 0
}

async function hasColleagues({ database: { read } }: Deps, orgId: string): Promise<boolean> {
  const isEnabled = and(eq(agents.orgId, orgId), isNull(agents.disabledAt))
  const some = await read.select({ id: agents.id }).from(agents).where(isEnabled).limit(2)
  return some.length > 1
}

async function hasEndpoint({ database: { read } }: Deps, orgId: string): Promise<boolean> {
  const isThere = and(eq(endpoints.orgId, orgId), isNull(endpoints.deletedAt))
  const some = await read.select({ id: endpoints.id }).from(endpoints).where(isThere).limit(1)
  return some.length > 0
}
