import { forgetCachedKeys, insertApiKey, markRevoked, newApiKey } from '../../../api-keys/api-keys.ts'
import type { Deps } from '../../../deps.ts'
import { pauseAndResume } from '../../accounts/account-state.ts'
import { newSecret } from './widget-rows.ts'
import { type KeyedWidget, readWidget, widgetAccounts } from './widgets.ts'

/** The previous identity secret is accepted that long, so that the website can change its configuration. */
const PREVIOUS_SECRET_MS = 86_400_000

/** A paused widget disappears from all websites. */
export const [pauseWidget, resumeWidget] = pauseAndResume(widgetAccounts, {
  paused: { state: 'paused' },
  active: { state: 'active' },
})

/** Replaces the public key. The snippet with the previous one stops working at once. Throws 404. */
export async function rotateWidgetKey(deps: Deps, orgId: string, id: string): Promise<KeyedWidget> {
  const { name } = await readWidget(deps, orgId, id)
  const made = newApiKey(deps, orgId, { name, kind: 'public' })
  await widgetAccounts.change(deps, orgId, { id, action: 'widget.key_rotated' }, async (tx, before) => {
    await insertApiKey(deps, tx, made)
    await markRevoked(deps, tx, { orgId, id: before.keyId })
    return widgetAccounts.save(tx, before, { keyId: made.key.id, updatedAt: deps.clock.now() })
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
  await widgetAccounts.change(
    deps,
    orgId,
    { id, action: 'widget.identity_secret_rotated' },
    async (tx, before) => {
      const now = deps.clock.now()
      return widgetAccounts.save(tx, before, {
        identitySecret: deps.encryption.encrypt(identitySecret, id),
        previousIdentitySecret: before.identitySecret,
        previousIdentitySecretUntil: now + PREVIOUS_SECRET_MS,
        updatedAt: now,
      })
    },
  )
  return { widget: await readWidget(deps, orgId, id), identitySecret }
}

/** Removes a widget with its key and secrets. Its conversations stay. Throws 404. */
export async function removeWidget(deps: Deps, orgId: string, id: string): Promise<void> {
  await widgetAccounts.change(deps, orgId, { id, action: 'widget.removed' }, async (tx, before) => {
    const now = deps.clock.now()
    await markRevoked(deps, tx, { orgId, id: before.keyId })
    return widgetAccounts.save(tx, before, {
      identitySecret: new Uint8Array(),
      previousIdentitySecret: null,
      previousIdentitySecretUntil: null,
      deletedAt: now,
      updatedAt: now,
    })
  })
  forgetCachedKeys(deps)
}
