import { eq } from 'drizzle-orm'
import { apiKeys } from '../database/schema.ts'
import type { Deps } from '../deps.ts'

const SAVE_EVERY_MS = 10_000

/** Remembers when keys were last used and saves it now and then: a read must not cost a write. */
export function createLastUsed(deps: Deps) {
  const unsaved = new Map<string, number>()
  let cancelTimer: (() => void) | undefined

  async function save(): Promise<void> {
    cancelTimer?.()
    cancelTimer = undefined
    if (unsaved.size === 0) return
    const times = [...unsaved]
    unsaved.clear()
    await deps.database.write(async (tx) => {
      for (const [id, lastUsedAt] of times) {
        await tx.update(apiKeys).set({ lastUsedAt }).where(eq(apiKeys.id, id))
      }
    })
  }

  return {
    note(keyId: string): void {
      unsaved.set(keyId, deps.clock.now())
      cancelTimer ??= deps.clock.after(SAVE_EVERY_MS, () => {
        save().catch((error) => deps.log.warn('last_used_not_saved', { error }))
      })
    },
    /** Saves what is not saved yet. */
    stop: save,
  }
}

export type LastUsed = ReturnType<typeof createLastUsed>
