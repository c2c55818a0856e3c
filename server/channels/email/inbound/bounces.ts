import { addressKey } from '../../../customers/email-addresses.ts'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { type RecipientOutcome, sends } from '../../../database/tables/sends.ts'
import type { Deps } from '../../../deps.ts'
import { recordEvents } from '../../../events/events.ts'
import { changeTicket, findSends } from '../../../messages/sends/queries.ts'
import { finished, saveProgress } from '../../../messages/sends/record-attempt.ts'
import { messageIdsIn, ownMessageIdsIn } from '../message-id.ts'
import { type EmailSend, isByEmail, recipientsOfEmail, withoutBrackets } from '../outbound/email-content.ts'
import type { BouncedRecipient } from '../parse/parsed-mail.ts'

interface Bounce {
  /** Headers of the mail that came back: `Message-ID`, and `X-Bellhop-Message`. */
  headers: readonly string[]
  /** Recipients that can never be reached with this message. */
  recipients: readonly RefusedRecipient[]
}

type RefusedRecipient = Omit<BouncedRecipient, 'action'>

/**
 * Marks the message that bounced, and the recipients who didn't get it. Doesn't change the ticket's status. Returns
 * whose message it is; undefined if it isn't ours.
 */
export async function recordBounce(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  { headers, recipients }: Bounce,
): Promise<{ messageId: string; ticketId: string } | undefined> {
  const send = await findBounced(deps, tx, orgId, headers)
  if (!send) return undefined
  const { messageId, ticketId } = send
  if (recipients.length === 0) return { messageId, ticketId }
  await changeTicket(tx, { orgId, id: ticketId, at: deps.clock.now() })
  const outcomes = outcomesAfter(send, recipients)
  const now = deps.clock.now()
  // While other recipients are still being tried, the state is set later.
  const isOver = send.finishedAt !== null
  await saveProgress(tx, isOver ? finished({ ...send, outcomes }, now) : { ...send, outcomes })
  recordEvents(deps, tx, orgId, [{ type: 'message.updated', ticketId, messageId, createdAt: now }])
  return { messageId, ticketId }
}

/** By our signature, or by the id that the mail server gave instead of ours. */
async function findBounced(
  deps: Deps,
  tx: Transaction,
  orgId: string,
  headers: readonly string[],
): Promise<EmailSend | undefined> {
  for (const messageId of ownMessageIdsIn(deps.encryption, ...headers)) {
    const [send] = await findSends(tx, { orgId, messageId })
    if (send && isByEmail(send)) return send
  }
  for (const id of headers.flatMap(messageIdsIn)) {
    const [send] = await tx
      .select()
      .from(sends)
      .where(matches(sends, { orgId, externalId: withoutBrackets(id) }))
    if (send && isByEmail(send)) return send
  }
  return undefined
}

function outcomesAfter(send: EmailSend, bounced: readonly RefusedRecipient[]): RecipientOutcome[] {
  const addresses = recipientsOfEmail(send.content)
  const after = new Map(send.outcomes.map((outcome) => [addressKey(outcome.address), outcome]))
  for (const recipient of bounced) {
    // A server that forwards reports its own address. With one recipient it is clear who is meant.
    const only = addresses.length === 1 ? addresses[0] : undefined
    const named = addresses.find((address) => addressKey(address) === addressKey(recipient.address))
    const address = named ?? only ?? recipient.address
    after.set(addressKey(address), { address, state: 'bounced', detail: wordsOf(recipient) })
  }
  return [...after.values()]
}

function wordsOf({ status, diagnostic }: RefusedRecipient): string {
  if (diagnostic !== '') return diagnostic
  return status === '' ? 'The email bounced.' : `The email bounced with the status ${status}.`
}
