import { and, eq } from 'drizzle-orm'
import type { Transaction } from '../../../database/database.ts'
import { insertOf } from '../../../database/statement.ts'
import { bots, telegramUpdates } from '../../../database/tables/bots.ts'
import type { Deps } from '../../../deps.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { checkedColumns, isVisibleChange } from '../bots/bot-health.ts'
import type { Bot } from '../bots/bot-rows.ts'
import { lockBot, readBot } from '../bots/bots.ts'

/** The kinds that Bellhop understands. Any other is stored as received and counted, but not processed. */
export const UPDATE_KINDS = ['message', 'edited_message', 'my_chat_member'] as const

const UNKNOWN = 'unknown'
const NOT_KNOWN = 'Bellhop does not know this kind of update.'
const MAX_KIND_LENGTH = 64
const MAX_ID_LENGTH = 64

type UpdateRow = typeof telegramUpdates.$inferSelect

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
  const known = await readBot(deps, orgId, id)
  const isVisible = isVisibleChange(known, changeOf(known))
  return deps.database.write(async (tx) => {
    if (isVisible) await recordWorkspaceChange(deps, tx, orgId)
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

const insertUpdates = insertOf(telegramUpdates)

async function saveProgress(tx: Transaction, { orgId, id }: Bot, set: Partial<Bot>): Promise<void> {
  await tx
    .update(bots)
    .set(set)
    .where(and(eq(bots.orgId, orgId), eq(bots.id, id)))
}

function rowOf(
  deps: Deps,
  { orgId, botId, update, now }: { orgId: string; botId: string; update: unknown; now: number },
): UpdateRow {
  const { kind, value } = contentOf(update)
  const isKnown = UPDATE_KINDS.some((known) => known === kind)
  return {
    id: deps.newId('upd'),
    orgId,
    botId,
    updateId: updateIdOf(update),
    chatId: idIn(value, 'chat'),
    kind,
    album: textIn(value, 'media_group_id'),
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
  if (!isObject(update)) return { kind: UNKNOWN, value: undefined }
  const known = UPDATE_KINDS.find((kind) => isObject(update[kind]))
  const [name, value] =
    known === undefined
      ? (Object.entries(update).find(([, one]) => isObject(one)) ?? [UNKNOWN, undefined])
      : [known, update[known]]
  return { kind: name.slice(0, MAX_KIND_LENGTH), value }
}

function updateIdOf(update: unknown): number {
  const id = isObject(update) ? update.update_id : undefined
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : 0
}

/** The id of a chat. Some are larger than 2^31, and those of groups are negative. */
function idIn(value: unknown, field: string): string {
  const of = isObject(value) ? value[field] : undefined
  const id = isObject(of) ? of.id : undefined
  return typeof id === 'number' || typeof id === 'string' ? String(id).slice(0, MAX_ID_LENGTH) : ''
}

function textIn(value: unknown, field: string): string | null {
  const text = isObject(value) ? value[field] : undefined
  return typeof text === 'string' && text !== '' ? text.slice(0, MAX_ID_LENGTH) : null
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
