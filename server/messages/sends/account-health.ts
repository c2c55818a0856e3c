import { sql } from 'drizzle-orm'
import type { SendingAccount } from '../../channels/channel.ts'
import type { Transaction } from '../../database/database.ts'

/** The one sentence for a paused mailbox or bot. */
export function pausedSentence(label: string): string {
  return `The ${label} is paused.`
}

/** A change of a mailbox or bot, which locks its row: do it after everything that locks the organization's. */
export interface HealthChange {
  /** Whether pages show the difference. */
  isVisible: boolean
  save(tx: Transaction): Promise<void>
}

/** Records that an account sends. */
export function sentThrough(account: SendingAccount, now: number): HealthChange {
  const isMended = account.sendError !== ''
  const change = {
    lastSentAt: now,
    ...(isMended && { sendError: '', sendFailingSince: null }),
    ...(isMended && account.receiveFailingSince === null && { alertedAt: null }),
  }
  return { isVisible: isMended, save: (tx) => account.saveHealth(tx, change) }
}

/**
 * Records that an account can't send. After a refused sign-in, nothing is tried until someone reconnects it, unless it was
 * changed after the attempt started. Only an active account can be failing: failures while it is paused aren't recorded.
 */
export function failedThrough(
  account: SendingAccount,
  { error, isRefused, startedAt, now }: { error: string; isRefused: boolean; startedAt: number; now: number },
): HealthChange | undefined {
  if (account.waits !== undefined) return undefined
  const stops = isRefused && account.updatedAt <= startedAt
  const change = {
    sendError: error,
    sendFailingSince: sql<number>`coalesce(send_failing_since, ${now})`,
    ...(stops && { state: 'refused' as const, updatedAt: now }),
  }
  return { isVisible: account.sendError === '' || stops, save: (tx) => account.saveHealth(tx, change) }
}
