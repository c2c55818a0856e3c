import { forgetCachedKeys, insertApiKey, markRevoked, newApiKey } from '../../../api-keys/api-keys.ts'
import type { Deps } from '../../../deps.ts'
import { newSecret } from './widget-rows.ts'
import { changeWidget, type KeyedWidget, readWidget, saveWidget } from './widgets.ts'

/** The previous identity secret is accepted that long, so that the website can change its configuration. */
const PREVIOUS_SECRET_MS = 86_400_000

/** Disappears from all websites until it is resumed. */
export async function pauseWidget(deps: Deps, orgId: string, id: string): Promise<KeyedWidget> {
  await changeWidget(deps, orgId, { id, action: 'widget.paused' }, async (tx, before) => {
    if (before.state === 'paused') return undefined
    await saveWidget(tx, before, { state: 'paused', updatedAt: deps.clock.now() })
    return {}
  })
  return readWidget(deps, orgId, id)
}

export async function resumeWidget(deps: Deps, orgId: string, id: string): Promise<KeyedWidget> {
  await changeWidget(deps, orgId, { id, action: 'widget.resumed' }, async (tx, before) => {
    if (before.state === 'active') return undefined
    await saveWidget(tx, before, { state: 'active', updatedAt: deps.clock.now() })
    return {}
  })
  return readWidget(deps, orgId, id)
}

/** Replaces the public key. The snippet with the previous one stops working at once. Throws 404. */
export async function rotateWidgetKey(deps: Deps, orgId: string, id: string): Promise<KeyedWidget> {
  const { name } = await readWidget(deps, orgId, id)
  const made = newApiKey(deps, orgId, { name, kind: 'public' })
  await changeWidget(deps, orgId, { id, action: 'widget.key_rotated' }, async (tx, before) => {
    await insertApiKey(deps, tx, made)
    await saveWidget(tx, before, { keyId: made.key.id, updatedAt: deps.clock.now() })
    await markRevoked(deps, tx, { orgId, id: before.keyId })
    return {}
  })
  forgetCachedKeys(deps)
  return readWidget(deps, orgId, id)
}

/** Replaces the secret that signs users. It is returned only here; the previous one is accepted for a day. Throws 404. */
export async function rotateIdentitySecret(
  deps: Deps,
  orgId: string,
  id: string,
): Promise<{ widget: KeyedWidget; identitySecret: string }> {
  const identitySecret = newSecret(deps)
  await changeWidget(deps, orgId, { id, action: 'widget.identity_secret_rotated' }, async (tx, before) => {
    const now = deps.clock.now()
    await saveWidget(tx, before, {
      identitySecret: deps.encryption.encrypt(identitySecret, id),
      previousIdentitySecret: before.identitySecret,
      previousIdentitySecretUntil: now + PREVIOUS_SECRET_MS,
      updatedAt: now,
    })
    return {}
  })
  return { widget: await readWidget(deps, orgId, id), identitySecret }
}

/** Removes a widget with its key and secrets. Its conversations stay. Throws 404. */
export async function removeWidget(deps: Deps, orgId: string, id: string): Promise<void> {
  await changeWidget(deps, orgId, { id, action: 'widget.removed' }, async (tx, before) => {
    const now = deps.clock.now()
    await saveWidget(tx, before, {
      identitySecret: new Uint8Array(),
      previousIdentitySecret: null,
      previousIdentitySecretUntil: null,
      deletedAt: now,
      updatedAt: now,
    })
    await markRevoked(deps, tx, { orgId, id: before.keyId })
    return {}
  })
  forgetCachedKeys(deps)
}
