import { findValidKey, KEY_PREFIX } from '../../../api-keys/api-keys.ts'
import type { Database, Reader } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { statement, text } from '../../../database/statement.ts'
import { apiKeys } from '../../../database/tables/api-keys.ts'
import { widgets } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { hashToken } from '../../../encryption.ts'
import { revokedKey } from '../../../organizations/directory.ts'

/** Widgets in the cache. With more, it starts over. */
const MAX_CACHED = 10_000

/** A row of `widgets`. Its secrets are encrypted, and views leave them out. */
export type Widget = typeof widgets.$inferSelect

/** `secret`: a secret key, valid or not, was sent where only the public one belongs. */
type FoundWidget =
  | { state: 'active'; widget: Widget }
  | { state: 'unknown' | 'secret' | 'revoked' | 'paused' | 'removed' }

/** Finds a widget by its public key. Cached, because every request of a visitor asks. */
export async function findWidgetByKey(deps: Deps, key: string): Promise<FoundWidget> {
  if (key.startsWith(KEY_PREFIX.secret)) return { state: 'secret' }
  if (!key.startsWith(KEY_PREFIX.public)) return { state: 'unknown' }
  const valid = await findValidKey(deps, key)
  if (!valid) return stateOfInvalidKey(deps, key)
  const { widgets: cached } = cacheOf(deps)
  const widget = cached.get(valid.id) ?? (await readAndCache(deps, cached, valid))
  if (!widget) return { state: 'unknown' }
  if (widget.deletedAt !== null) return { state: 'removed' }
  return widget.state === 'paused' ? { state: 'paused' } : { state: 'active', widget }
}

async function stateOfInvalidKey(deps: Deps, key: string): Promise<FoundWidget> {
  const [found] = await revokedKey(deps.database.read, { hash: hashToken(key) })
  if (!found) return { state: 'unknown' }
  return { state: found.deletedAt === null ? 'revoked' : 'removed' }
}

/** Call it after a widget has changed. */
export function forgetCachedWidgets(deps: Deps): void {
  clear(cacheOf(deps))
}

// A lookup that was running when the cache was cleared fills the discarded map.

const caches = new WeakMap<Database, { widgets: Map<string, Widget> }>()

function cacheOf(deps: Deps): { widgets: Map<string, Widget> } {
  const known = caches.get(deps.database)
  if (known && known.widgets.size < MAX_CACHED) return known
  if (known) return clear(known)
  const cache = { widgets: new Map<string, Widget>() }
  caches.set(deps.database, cache)
  deps.externalCommits.listen(() => clear(cache), [widgets, apiKeys])
  return cache
}

function clear(cache: { widgets: Map<string, Widget> }) {
  cache.widgets = new Map()
  return cache
}

async function readAndCache(
  deps: Deps,
  cached: Map<string, Widget>,
  { id, orgId }: { id: string; orgId: string },
): Promise<Widget | undefined> {
  const [widget] = await widgetByKey(deps.database.read, { orgId, keyId: id })
  if (widget) cached.set(id, widget)
  return widget
}

const widgetByKey = statement('widgets_by_key', { orgId: text, keyId: text }, (read: Reader, p) =>
  read
    .select()
    .from(widgets)
    .where(matches(widgets, { orgId: p.orgId, keyId: p.keyId })),
)
