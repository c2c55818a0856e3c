import { and, asc, eq } from 'drizzle-orm'
import type { Transaction } from '../database/database.ts'
import { messages } from '../database/tables/messages.ts'
import { type RecipientOutcome, sends } from '../database/tables/sends.ts'
import type { Deps } from '../deps.ts'
import { findSends, type Send } from '../sends/queries.ts'
import { finished, recordAttempt, saveProgress } from '../sends/record-attempt.ts'
import { isByEmail, recipientsOf } from '../sends/send-content.ts'
import { type DemoMailbox, fetchMails, fileFetched } from './demo-mailbox.ts'
import { depsAt } from './organization.ts'
import { EMAIL_FAULTS } from './people.ts'
import { rawBounce } from './raw-mails.ts'

/** From a reply until the mail server has it. */
const SENDING_MS = 1_800
const BOUNCE_MS = 40_000

/** Records that the mail server took a reply, at once. A reply that doesn't leave by email stays as it is. */
export async function recordSent(
  deps: Deps,
  tx: Transaction,
  { orgId, messageId }: { orgId: string; messageId: string },
): Promise<void> {
  for (const send of await findSends(tx, { orgId, messageId })) {
    const recipients = recipientsOf(send)
    const outcomes = outcomesFor(send, 'sent', '')
    const result = { outcomes, error: '', fault: 'none' as const }
    await recordAttempt(tx, { send, recipients, result }, deps.clock.now() + SENDING_MS)
  }
}

/** Makes the newest email replies fail: two are refused, and one bounces. */
export async function failEmails(deps: Deps, mailbox: DemoMailbox): Promise<void> {
  const { orgId } = mailbox
  const all = await deps.database.read
    .select({ send: sends })
    .from(messages)
    .innerJoin(sends, eq(sends.messageId, messages.id))
    .where(and(eq(messages.orgId, orgId), eq(messages.role, 'agent'), eq(sends.state, 'sent')))
    .orderBy(asc(messages.createdAt), asc(messages.id))
  const emails = all.map(({ send }) => send).filter(isByEmail)
  const newest = [...new Map(emails.map((send) => [send.ticketId, send])).values()]
  const [bounced, ...refused] = newest.slice(-1 - EMAIL_FAULTS.refused.length)
  if (!bounced) return
  const at = bounced.createdAt + BOUNCE_MS
  const recipient = recipientsOf(bounced)[0] ?? ''
  const { messageId, token } = bounced.content
  const reason = EMAIL_FAULTS.bounced
  const [report] = await fetchMails(deps, [rawBounce({ at, recipient, messageId, token, reason })])
  await deps.database.write(async (tx) => {
    for (const [index, send] of refused.entries()) {
      const outcomes = outcomesFor(send, 'failed', EMAIL_FAULTS.refused[index] ?? '')
      await saveProgress(tx, finished({ ...send, outcomes }, send.finishedAt ?? send.createdAt))
    }
    if (report) await fileFetched(depsAt(deps, at), tx, mailbox, report)
  })
}

function outcomesFor(send: Send, state: RecipientOutcome['state'], detail: string): RecipientOutcome[] {
  return recipientsOf(send).map((address) => ({ address, state, detail }))
}
