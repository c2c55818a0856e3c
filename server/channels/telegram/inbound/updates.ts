import { and, eq, inArray, isNotNull, lt, sql } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { insertOf } from '../../../database/statement.ts'
import { bots, telegramUpdates } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { startPruning } from '../../../jobs/pruning.ts'
import type { Loop } from '../../../loop.ts'
import { checkedColumns, isVisibleChange } from '../bots/bot-health.ts'
import type { Bot } from '../bots/bot-rows.ts'
import { lockBot, readBot } from '../bots/bots.ts'

/** The kinds that Bellhop understands. Any other is stored as received and counted, but not processed. */
export const UPDATE_KINDS = ['message', 'edited_message', 'my_chat_member'] as const

const UNKNOWN = 'unknown'
const NOT_KNOWN = 'Bellhop does not know this kind of update.'
const MAX_KIND_LENGTH = 64
const MAX_ID_LENGTH = 64

/** Long enough to look into updates that failed or are of an unknown kind. */
const KEPT_MS = 30 * 86_400_000
const PRUNE_EVERY_MS = 3_600_000
const PRUNE_SLICE = 500

export type Update = typeof telegramUpdates.$inferSelect

/** What happened to an update. */
export interface UpdateOutcome {
  /** `failed`: it could not be read, or not all of it. It is kept and counted. */
  outcome: 'done' | 'ignored' | 'failed'
  /** Why it was ignored or failed, in plain words. */
  reason?: string
}

/**
 * Stores what Telegram delivered, in one unit with the offset that confirms it. After a crash, each update is either
 * stored or delivered again. Updates are not parsed here, so that none can keep the others from being stored. Returns
 * whether anything was stored; nothing is for a removed bot.
 */
export async function storeUpdates(
  deps: Deps,
  { orgId, id }: Pick<Bot, 'orgId' | 'id'>,
  { updates, offset }: { updates: readonly unknown[]; offset?: number },
): Promise<boolean> {
  const now = deps.clock.now()
  const rows = updates.map((update) => rowOf(deps, { orgId, botId: id, update, now }))
  const unknown = rows.filter(({ state }) => state === 'ignored').length
  const changeOf = (before: Bot): Partial<Bot> => ({
    ...checkedColumns(before, now),
    lastUpdateAt: now,
    unknownUpdates: before.unknownUpdates + unknown,
    ...(offset !== undefined && { offset }),
  })
  const bot = await readBot(deps, orgId, id)
  const isVisible = isVisibleChange(bot, changeOf(bot))
  return deps.database.write(orgId, async (tx) => {
    if (isVisible) recordWorkspaceChange(deps, tx, orgId)
    const before = await lockBot(tx, orgId, id)
    if (!before) return false
    await insertUpdates(tx, rows)
    await saveProgress(tx, before, changeOf(before))
    return true
  })
}

/** The offset that confirms updates: above the highest of them. Undefined when none has an id. */
export function offsetAfter(updates: readonly unknown[]): number | undefined {
  const ids = updates.map(updateIdOf).filter((id) => id > 0)
  return ids.length === 0 ? undefined : Math.max(...ids) + 1
}

/**
 * Saves the outcome of updates. The content of processed updates is deleted, because it is in the message now or was
 * empty. That of the others is kept, and the bot's page shows how many there are.
 */
export async function markProcessed(
  deps: Deps,
  tx: Transaction,
  updates: Pick<Update, 'id' | 'botId'>[],
  { outcome, reason = '' }: UpdateOutcome,
): Promise<void> {
  const processedAt = deps.clock.now()
  for (const { id } of updates) {
    await tx
      .update(telegramUpdates)
      .set({ state: outcome, reason, processedAt, ...(outcome !== 'failed' && { raw: null }) })
      .where(eq(telegramUpdates.id, id))
  }
  const [first] = updates
  if (outcome !== 'failed' || !first) return
  await tx
    .update(bots)
    .set({ unknownUpdates: sql`${bots.unknownUpdates} + ${updates.length}` })
    .where(eq(bots.id, first.botId))
}

/** Deletes the records of updates after 30 days, a slice at a time. Messages stay with their tickets. */
export function startPruningUpdates(deps: Deps): Loop {
  return startPruning(deps, 'prune_telegram_updates', {
    everyMs: PRUNE_EVERY_MS,
    slice: () =>
      deps.database.write(undefined, async (tx) => {
        const isOld = and(
          isNotNull(telegramUpdates.processedAt),
          lt(telegramUpdates.processedAt, deps.clock.now() - KEPT_MS),
        )
        const old = tx
          .select({ id: telegramUpdates.id })
          .from(telegramUpdates)
          .where(isOld)
          .limit(PRUNE_SLICE)
        const deleted = await tx
          .delete(telegramUpdates)
          .where(inArray(telegramUpdates.id, old))
          .returning({ id: telegramUpdates.id })
        return deleted.length === PRUNE_SLICE
      }),
  })
}

/** A field of what Telegram sent, which can be anything. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([key]) => key === name)?.[1]
}

const insertUpdates = insertOf(telegramUpdates)

async function saveProgress(tx: Transaction, { orgId, id }: Bot, set: Partial<Bot>): Promise<void> {
  await tx.update(bots).set(set).where(matches(bots, { orgId, id }))
}

function rowOf(
  deps: Deps,
  { orgId, botId, update, now }: { orgId: string; botId: string; update: unknown; now: number },
): Update {
  const { kind, value } = contentOf(update)
  const isKnown = UPDATE_KINDS.some((one) => one === kind)
  return {
    id: deps.newId('upd'),
    orgId,
    botId,
    updateId: updateIdOf(update),
    chatId: chatIdIn(value),
    kind,
    album: albumIn(value),
    raw: update,
    state: isKnown ? 'pending' : 'ignored',
    reason: isKnown ? '' : NOT_KNOWN,
    attempts: 0,
    dueAt: now,
    createdAt: now,
    processedAt: isKnown ? null : now,
  }
}

/** The one field beside the id, which says what an update is. */
function contentOf(update: unknown): { kind: string; value: unknown } {
  const kind = UPDATE_KINDS.find((name) => isObject(fieldOf(update, name)))
  if (kind !== undefined) return { kind, value: fieldOf(update, kind) }
  const fields = isObject(update) ? Object.entries(update) : []
  const [name, value] = fields.find(([, one]) => isObject(one)) ?? [UNKNOWN, undefined]
  return { kind: name.slice(0, MAX_KIND_LENGTH), value }
}

function updateIdOf(update: unknown): number {
  const id = fieldOf(update, 'update_id')
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : 0
}

/** Some ids of chats are larger than 2^31, and those of groups are negative. */
function chatIdIn(message: unknown): string {
  const id = fieldOf(fieldOf(message, 'chat'), 'id')
  return typeof id === 'number' || typeof id === 'string' ? String(id).slice(0, MAX_ID_LENGTH) : ''
}

function albumIn(message: unknown): string | null {
  const album = fieldOf(message, 'media_group_id')
  return typeof album === 'string' && album !== '' ? album.slice(0, MAX_ID_LENGTH) : null
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
