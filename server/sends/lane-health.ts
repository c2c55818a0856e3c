import { eq, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { mailboxes } from '../database/tables/mailboxes.ts'

export type LaneMailbox = Pick<
  typeof mailboxes.$inferSelect,
  'id' | 'orgId' | 'address' | 'state' | 'sendError' | 'receiveFailingSince' | 'deletedAt' | 'updatedAt'
>

/** The mailbox of a lane, also when it was removed. */
export const findLaneMailbox = statement<{ id: string }, LaneMailbox[], Reader | Transaction>(
  'sends_lane_mailbox',
  (read, p) =>
    read
      .select({
        id: mailboxes.id,
        orgId: mailboxes.orgId,
        address: mailboxes.address,
        state: mailboxes.state,
        sendError: mailboxes.sendError,
        receiveFailingSince: mailboxes.receiveFailingSince,
        deletedAt: mailboxes.deletedAt,
        updatedAt: mailboxes.updatedAt,
      })
      .from(mailboxes)
      .where(eq(mailboxes.id, p.id)),
)

/** A change of a mailbox, which locks its row: do it after everything that locks the organization's. */
export interface HealthChange {
  /** Whether pages show the difference. */
  isVisible: boolean
  save(tx: Transaction): Promise<void>
}

/** A mailbox sends. */
export function sentThrough(mailbox: LaneMailbox, now: number): HealthChange {
  const isMended = mailbox.sendError !== ''
  return {
    isVisible: isMended,
    save: async (tx) => {
      await tx
        .update(mailboxes)
        .set({
          lastSentAt: now,
          ...(isMended && { sendError: '', sendFailingSince: null }),
          ...(isMended && mailbox.receiveFailingSince === null && { alertedAt: null }),
        })
        .where(eq(mailboxes.id, mailbox.id))
    },
  }
}

/**
 * A mailbox can't send. After a refused sign-in nothing is tried until someone reconnects it, unless it was changed after
 * that attempt had started. Only an active mailbox can be failing: what fails while it is paused is not recorded.
 */
export function failedThrough(
  mailbox: LaneMailbox,
  { error, isRefused, startedAt, now }: { error: string; isRefused: boolean; startedAt: number; now: number },
): HealthChange | undefined {
  if (mailbox.state !== 'active') return undefined
  const stops = isRefused && mailbox.updatedAt <= startedAt
  return {
    isVisible: mailbox.sendError === '' || stops,
    save: async (tx) => {
      await tx
        .update(mailboxes)
        .set({
          sendError: error,
          sendFailingSince: sql`coalesce(${mailboxes.sendFailingSince}, ${now})`,
          ...(stops && { state: 'refused' as const, updatedAt: now }),
        })
        .where(eq(mailboxes.id, mailbox.id))
    },
  }
}
