import { eq } from 'drizzle-orm'
import { apiKeys } from '../database/tables/api-keys.ts'
import type { Deps } from '../deps.ts'

const SAVE_EVERY_MS = 10_000

/** Collects when keys were last used and saves it periodically, so that a read doesn't cost a write. */
export function createLastUsed(deps: Deps) {
  const unsaved = new Map<string, number>()
  let cancelTimer: (() => void) | undefined
  let isStopped = false

  async function save(): Promise<void> {
    cancelTimer?.()
    cancelTimer = undefined
    if (unsaved.size === 0) return
    const times = [...unsaved]
    await deps.database.write(async (tx) => {
      for (const [id, lastUsedAt] of times) {
        await tx.update(apiKeys).set({ lastUsedAt }).where(eq(apiKeys.id, id))
      }
    })
    // After the write, so that a failed one is retried. A key used since then has a newer time and stays.
    for (const [id, time] of times) if (unsaved.get(id) === time) unsaved.delete(id)
  }

  function startTimer(): void {
    cancelTimer ??= deps.clock.after(SAVE_EVERY_MS, () => {
      save().catch((error) => {
        deps.log.warn('last_used_not_saved', { error })
        if (!isStopped) startTimer()
      })
    })
  }

  return {
    record(keyId: string): void {
      unsaved.set(keyId, deps.clock.now())
      startTimer()
    },
    /** Saves what hasn't been saved yet. */
    stop(): Promise<void> {
      isStopped = true
      return save()
    },
  }
}
