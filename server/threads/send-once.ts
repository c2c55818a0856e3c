import type { Transaction } from '../database/database.ts'
import type { Once } from '../idempotency/idempotency.ts'
import type { SignedIn } from '../sessions/sessions.ts'

interface SentByAgent {
  me: SignedIn
  ticketId: string
  what: 'replies' | 'notes'
  body: object
  request: Request
  headers: Record<string, unknown>
}

/**
 * Does once what an agent sends again because the answer to it was lost: both have the same `Idempotency-Key`, which is
 * that agent's alone.
 */
export async function sendOnce<Body>(
  once: Once,
  { me: { orgId, agentId }, ticketId, what, body, request, headers }: SentByAgent,
  change: (remember: (tx: Transaction, made: Body) => Promise<void>) => Promise<Body>,
): Promise<Body> {
  const location = threadLocation(ticketId)
  const answerWith = (made: Body) => ({ status: 201, body: made, location, etag: null })
  const answer = await once<Body>(
    {
      orgId,
      key: request.headers.get('idempotency-key'),
      method: 'POST',
      path: `${location}/${what}`,
      body: { agentId, body },
    },
    async (remember) => answerWith(await change((tx, made) => remember(tx, answerWith(made)))),
  )
  if (answer.isReplay) headers['idempotency-replayed'] = 'true'
  return answer.body
}

/** Stored with each answer: with a ticket go the answers that hold words of it. */
export function threadLocation(ticketId: string): string {
  return `/console/tickets/${ticketId}`
}
