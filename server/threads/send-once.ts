import type { Once } from '../idempotency/idempotency.ts'
import type { SignedIn } from '../sessions/sessions.ts'
import type { AlsoSave } from '../tickets/tickets.ts'
import { versionOf } from './drafts.ts'

interface SentByAgent<Content> {
  me: SignedIn
  ticketId: string
  what: 'replies' | 'notes'
  body: Content
  request: Request
  headers: Record<string, unknown>
}

/** What is sent, by whom, on which ticket, and from which version of the draft. */
type Written<Content> = Omit<Content, keyof Moving> & {
  ticketId: string
  agentId: string
  agentName: string
  base: number | null | undefined
  knownReplies: string[] | undefined
}

/** What may have moved on between two tries of one sending, so it tells no two apart. */
interface Moving {
  base?: string | null
  knownReplies?: string[]
}

/**
 * Does once what an agent sends again because the answer to it was lost: both have the same `Idempotency-Key`, which is
 * that agent's alone.
 * `verb` makes what `view` shows of it.
 */
export async function sendOnce<Content extends Moving, Made, Body>(
  once: Once,
  { me, ticketId, what, body: { base, knownReplies, ...body }, request, headers }: SentByAgent<Content>,
  verb: (written: Written<Content>, alsoSave: AlsoSave<Made>) => Promise<Made>,
  view: (made: Made) => Body,
): Promise<Body> {
  const { orgId, agentId, name: agentName } = me
  const written = { ...body, ticketId, agentId, agentName, base: versionOf(base), knownReplies }
  const answerWith = (made: Made) => ({ status: 201, body: view(made), location: null, etag: null })
  const answer = await once<Body>(
    {
      orgId,
      key: request.headers.get('idempotency-key'),
      method: 'POST',
      path: `/console/tickets/${ticketId}/${what}`,
      body: { agentId, body },
    },
    async (remember) =>
      answerWith(await verb(written, (tx, made) => remember(tx, answerWith(made), ticketId))),
  )
  if (answer.isReplay) headers['idempotency-replayed'] = 'true'
  return answer.body
}
