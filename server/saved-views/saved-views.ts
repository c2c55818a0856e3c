import { and, asc, eq, or, type SQL } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { statement, text } from '../database/statement.ts'
import type { AgentRole } from '../database/tables/agents.ts'
import { savedViews } from '../database/tables/saved-views.ts'
import type { Deps } from '../deps.ts'
import { AppError, notFound } from '../errors.ts'
import { recordWorkspaceChange } from '../events/events.ts'
import { isId } from '../ids.ts'
import { readSearch } from '../search/read-search.ts'

export interface SavedView {
  id: string
  name: string
  query: string
  isShared: boolean
  /** The agent who created it. */
  agentId: string
}

interface Agent {
  agentId: string
  role: AgentRole
}

// Units of one organization run one after the other, so that two never count or change views at the same time.

/** Limit for an agent's own views, and for shared ones: each view is counted for every open page. */
const MAX_VIEWS = 50

const columns = {
  id: savedViews.id,
  name: savedViews.name,
  query: savedViews.query,
  isShared: savedViews.isShared,
  agentId: savedViews.agentId,
}

/** Throws 400 `invalid_query` for a query that can't be read, 409 `too_many_views`. */
export async function createView(
  deps: Deps,
  orgId: string,
  { agentId }: Agent,
  input: { name: string; query: string; isShared?: boolean },
): Promise<SavedView> {
  const query = await checkedQuery(deps, orgId, agentId, input.query)
  const { isShared = false } = input
  const view: SavedView = { id: deps.newId('viw'), name: input.name.trim(), query, isShared, agentId }
  await deps.database.write(orgId, async (tx) => {
    recordWorkspaceChange(deps, tx, orgId)
    await requireViewLimit(tx, orgId, view)
    await tx.insert(savedViews).values({ ...view, orgId, createdAt: deps.clock.now() })
  })
  return view
}

/** Throws 403 for a shared view of another agent, unless the agent is an administrator. */
export async function updateView(
  deps: Deps,
  orgId: string,
  me: Agent,
  input: { id: string; change: Partial<Pick<SavedView, 'name' | 'query' | 'isShared'>> },
): Promise<SavedView> {
  const { id, change } = input
  const query =
    change.query === undefined ? undefined : await checkedQuery(deps, orgId, me.agentId, change.query)
  return deps.database.write(orgId, async (tx) => {
    recordWorkspaceChange(deps, tx, orgId)
    const view = await changeableView(tx, orgId, me, id)
    const after: SavedView = {
      ...view,
      name: change.name?.trim() ?? view.name,
      query: query ?? view.query,
      isShared: change.isShared ?? view.isShared,
    }
    const { name, isShared } = after
    if (isShared !== view.isShared) await requireViewLimit(tx, orgId, after)
    await tx
      .update(savedViews)
      .set({ name, query: after.query, isShared })
      .where(matches(savedViews, { orgId, id }))
    return after
  })
}

export async function deleteView(deps: Deps, orgId: string, me: Agent, id: string): Promise<void> {
  await deps.database.write(orgId, async (tx) => {
    recordWorkspaceChange(deps, tx, orgId)
    await changeableView(tx, orgId, me, id)
    await tx.delete(savedViews).where(matches(savedViews, { orgId, id }))
  })
}

async function requireViewLimit(
  tx: Transaction,
  orgId: string,
  { agentId, isShared }: Pick<SavedView, 'agentId' | 'isShared'>,
): Promise<void> {
  const isOfSameKind = isShared
    ? eq(savedViews.isShared, true)
    : matches(savedViews, { agentId, isShared: false })
  const views = await tx
    .select({ id: savedViews.id })
    .from(savedViews)
    .where(and(eq(savedViews.orgId, orgId), isOfSameKind))
  if (views.length < MAX_VIEWS) return
  const kind = isShared ? 'shared views' : 'private views'
  throw new AppError(409, 'too_many_views', `You can have at most ${MAX_VIEWS} ${kind}. Delete one first.`)
}

async function checkedQuery(deps: Deps, orgId: string, me: string, query: string): Promise<string> {
  const text = query.trim()
  await readSearch(deps.database.read, { orgId, me, text })
  return text
}

async function changeableView(tx: Transaction, orgId: string, me: Agent, id: string): Promise<SavedView> {
  const isVisible = and(visibleTo(orgId, me.agentId), eq(savedViews.id, id))
  const [view] = isId('viw', id) ? await tx.select(columns).from(savedViews).where(isVisible) : []
  if (!view) throw notFound('view')
  if (view.agentId === me.agentId || me.role === 'admin') return view
  throw new AppError(
    403,
    'not_your_view',
    'Only an administrator or the agent who created this view can change it.',
  )
}

function visibleTo(orgId: string | SQL, agentId: string | SQL) {
  const isMineOrShared = or(eq(savedViews.agentId, agentId), eq(savedViews.isShared, true))
  return and(eq(savedViews.orgId, orgId), isMineOrShared)
}

/** The agent's own views and the shared ones, oldest first. */
export const listViews = statement('saved_views_visible', { orgId: text, agentId: text }, (read: Reader, p) =>
  read
    .select(columns)
    .from(savedViews)
    .where(visibleTo(p.orgId, p.agentId))
    .orderBy(asc(savedViews.createdAt), asc(savedViews.id)),
)
