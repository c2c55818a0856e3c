import { and, asc, eq, isNull } from 'drizzle-orm'
import { forgetCachedKeys, insertApiKey, newApiKey, renameKey } from '../../../api-keys/api-keys.ts'
import { matches } from '../../../database/matches.ts'
import { apiKeys } from '../../../database/tables/api-keys.ts'
import { widgets } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { notFound } from '../../../errors.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { readSettings } from '../../../organizations/settings.ts'
import { accountsOf, changedFields } from '../../accounts/accounts.ts'
import { requireLinkedBot } from '../telegram-link.ts'
import { forgetCachedWidgets, type Widget } from './find-widget.ts'
import {
  changedColumns,
  changedInput,
  type NewWidget,
  newRow,
  WIDGET_SETTINGS,
  type WidgetChange,
} from './widget-rows.ts'

/** A widget with its public key. */
export type KeyedWidget = Widget & { key: string; keyRevokedAt: number | null }

export const widgetAccounts = accountsOf<Widget, 'widget'>({
  noun: 'widget',
  prefix: 'wgt',
  table: widgets,
  select: (read, where) => read.select().from(widgets).where(where),
  update: (tx, set, where) => tx.update(widgets).set(set).where(where).returning(),
  labelOf: ({ name }) => name,
  changedFields: (change) => changedFields(WIDGET_SETTINGS, change),
  onChanged: forgetCachedWidgets,
})

/**
 * Creates a widget with a public key of its own. `identitySecret` signs the website's users; it is returned only here.
 * Throws 400 with every fault.
 */
export async function createWidget(
  deps: Deps,
  orgId: string,
  input: NewWidget,
): Promise<{ widget: KeyedWidget; identitySecret: string }> {
  const { name, publicName } = await readSettings(deps, orgId)
  await requireLinkedBot(orgId, input.telegramBotId ?? '', deps.database.read)
  const { row, identitySecret } = await newRow(deps, { orgId, orgName: publicName || name }, input)
  const key = newApiKey(deps, orgId, { name: row.name, kind: 'public' })
  const widget = { ...row, keyId: key.key.id }
  await deps.database.write(orgId, async (tx) => {
    recordWorkspaceChange(deps, tx, orgId)
    await insertApiKey(deps, tx, key)
    await tx.insert(widgets).values(widget)
    await widgetAccounts.recordCreated(deps, tx, widget, { origins: widget.origins })
  })
  return { widget: { ...widget, key: key.secret, keyRevokedAt: null }, identitySecret }
}

/** Oldest first, without removed ones. */
export async function listWidgets(deps: Deps, orgId: string): Promise<KeyedWidget[]> {
  const found = await deps.database.read
    .select({ widget: widgets, key: apiKeys.publicKey, keyRevokedAt: apiKeys.revokedAt })
    .from(widgets)
    .innerJoin(apiKeys, matches(apiKeys, { orgId: widgets.orgId, id: widgets.keyId }))
    .where(and(eq(widgets.orgId, orgId), isNull(widgets.deletedAt)))
    .orderBy(asc(widgets.createdAt), asc(widgets.id))
  return found.map(({ widget, key, keyRevokedAt }) => ({ ...widget, key: key ?? '', keyRevokedAt }))
}

/** Throws 404. */
export async function readWidget(deps: Deps, orgId: string, id: string): Promise<KeyedWidget> {
  const found = (await listWidgets(deps, orgId)).find((widget) => widget.id === id)
  if (!found) throw notFound('widget')
  return found
}

/** Changes the given settings. Throws 404, and 400 with every fault. */
export async function updateWidget(
  deps: Deps,
  orgId: string,
  { id, change }: { id: string; change: WidgetChange },
): Promise<KeyedWidget> {
  await requireLinkedBot(orgId, change.telegramBotId ?? '', deps.database.read)
  const checked = await changedInput(await readWidget(deps, orgId, id), change)
  await widgetAccounts.change(deps, orgId, { id, action: 'widget.changed' }, async (tx, before) => {
    const columns = changedColumns(before, change, checked)
    if (Object.keys(columns).length === 0) return before
    // The list of keys names them after their widgets.
    if (columns.name !== undefined) await renameKey(tx, { orgId, id: before.keyId, name: columns.name })
    return widgetAccounts.save(tx, before, { ...columns, updatedAt: deps.clock.now() })
  })
  forgetCachedKeys(deps)
  return readWidget(deps, orgId, id)
}
