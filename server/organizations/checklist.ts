import { and, eq, isNotNull, isNull, ne, or, type SQL } from 'drizzle-orm'
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

interface Step {
  table: typeof agents | typeof apiKeys | typeof bots | typeof endpoints | typeof mailboxes | typeof widgets
  isCounted: SQL | undefined
  /** Rows that the step needs: one by default. */
  least?: number
}

const STEPS: Record<FirstStep, Step> = {
  // One that waits for the sign-in at its provider is not connected yet.
  email: {
    table: mailboxes,
    isCounted: and(
      isNull(mailboxes.deletedAt),
      or(eq(mailboxes.signIn, 'password'), isNotNull(mailboxes.tokens)),
    ),
  },
  widget: { table: widgets, isCounted: isNull(widgets.deletedAt) },
  telegram: { table: bots, isCounted: isNull(bots.deletedAt) },
  agents: { table: agents, isCounted: and(isNull(agents.disabledAt), ne(agents.role, 'program')), least: 2 },
  key: { table: apiKeys, isCounted: and(eq(apiKeys.kind, 'secret'), isNull(apiKeys.revokedAt)) },
  endpoint: { table: endpoints, isCounted: isNull(endpoints.deletedAt) },
}

/** Returns the state of each setup step. */
export function readChecklist(deps: Deps, orgId: string): Promise<{ id: FirstStep; state: StepState }[]> {
  return Promise.all(FIRST_STEPS.map(async (id) => ({ id, state: await stateOf(deps, orgId, STEPS[id]) })))
}

async function stateOf(
  { database: { read } }: Deps,
  orgId: string,
  { table, isCounted, least = 1 }: Step,
): Promise<StepState> {
  const isTheirs = and(eq(table.orgId, orgId), isCounted)
  const rows = await read.select({ id: table.id }).from(table).where(isTheirs).limit(least)
  return rows.length < least ? 'todo' : 'done'
}
