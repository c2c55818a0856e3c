import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { forgetCachedKeys, insertApiKey, newApiKey, renameKey } from '../../../api-keys/api-keys.ts'
import { recordAudit } from '../../../audit/audit.ts'
import type { Transaction } from '../../../database/database.ts'
import { apiKeys } from '../../../database/tables/api-keys.ts'
import { widgets } from '../../../database/tables/widgets.ts'
import type { Deps } from '../../../deps.ts'
import { notFound } from '../../../errors.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { isId } from '../../../ids.ts'
import { readSettings } from '../../../organizations/settings.ts'
import { requireLinkedBot } from '../telegram-link.ts'
import { forgetCachedWidgets, type Widget } from './find-widget.ts'
import { changedColumns, changedInput, type NewWidget, newRow, type WidgetChange } from './widget-rows.ts'

/** A widget with its public key. */
export type KeyedWidget = Widget & { key: string; keyRevokedAt: number | null }

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
  await deps.database.write(async (tx) => {
    await recordWorkspaceChange(deps, tx, orgId)
    await insertApiKey(deps, tx, key)
    await tx.insert(widgets).values(widget)
    await recordAudit(deps, tx, orgId, {
      action: 'widget.created',
      subject: { id: widget.id, label: widget.name },
      detail: { origins: widget.origins },
    })
  })
  return { widget: { ...widget, key: key.secret, keyRevokedAt: null }, identitySecret }
}

/** Oldest first, without removed ones. */
export async function listWidgets(deps: Deps, orgId: string): Promise<KeyedWidget[]> {
  const found = await deps.database.read
    .select({ widget: widgets, key: apiKeys.publicKey, keyRevokedAt: apiKeys.revokedAt })
    .from(widgets)
    .innerJoin(apiKeys, and(eq(apiKeys.orgId, widgets.orgId), eq(apiKeys.id, widgets.keyId)))
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
  await changeWidget(deps, orgId, { id, action: 'widget.changed' }, async (tx, before) => {
    const { columns, fields } = changedColumns(before, change, checked)
    if (fields.length === 0) return undefined
    await saveWidget(tx, before, { ...columns, updatedAt: deps.clock.now() })
    // The list of keys names them after their widgets.
    if (columns.name !== undefined) await renameKey(tx, { orgId, id: before.keyId, name: columns.name })
    return { label: columns.name ?? before.name, detail: { fields } }
  })
  forgetCachedKeys(deps)
  return readWidget(deps, orgId, id)
}

/**
 * Changes a widget with its row locked, after the organization's, and records the change in the audit log unless
 * nothing changed. Throws 404.
 */
export async function changeWidget(
  deps: Deps,
  orgId: string,
  { id, action }: { id: string; action: string },
  change: (
    tx: Transaction,
    before: Widget,
  ) => Promise<{ label?: string; detail?: Record<string, unknown> } | undefined>,
): Promise<void> {
  if (!isId('wgt', id)) throw notFound('widget')
  await deps.database.write(async (tx) => {
    await recordWorkspaceChange(deps, tx, orgId)
    const [before] = await tx
      .update(widgets)
      .set({ updatedAt: sql`${widgets.updatedAt}` })
      .where(and(eq(widgets.orgId, orgId), eq(widgets.id, id), isNull(widgets.deletedAt)))
      .returning()
    if (!before) throw notFound('widget')
    const changed = await change(tx, before)
    if (!changed) return
    const { label = before.name, detail } = changed
    await recordAudit(deps, tx, orgId, { action, subject: { id, label }, ...(detail && { detail }) })
  })
  forgetCachedWidgets(deps)
}

export async function saveWidget(
  tx: Transaction,
  { orgId, id }: Widget,
  set: Partial<Widget>,
): Promise<void> {
  await tx
    .update(widgets)
    .set(set)
    .where(and(eq(widgets.orgId, orgId), eq(widgets.id, id)))
}
