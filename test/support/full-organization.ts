import { eq } from 'drizzle-orm'
import { inviteAgent } from '../../server/agents/one-time-links.ts'
import { createApiKey } from '../../server/api-keys/api-keys.ts'
import { messages } from '../../server/database/tables/messages.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { endpoints, resendJobs } from '../../server/database/tables/webhooks.ts'
import { scheduleMessage } from '../../server/replies/schedule-message.ts'
import { createSavedReply } from '../../server/saved-replies/saved-replies.ts'
import { createView } from '../../server/saved-views/saved-views.ts'
import { keepDraft } from '../../server/threads/drafts.ts'
import { putNote } from '../../server/threads/notes.ts'
import { postAgentMessage } from '../../server/tickets/messages.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { listDeliveries } from '../../server/webhooks/deliveries/delivery-log.ts'
import { createEndpoint, disableEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { type SignedInAgent, signInAgent } from './agents.ts'
import type { Bellhop, Client } from './bellhop.ts'
import { eventually } from './webhooks.ts'

/** Part of every text of the organization. Anywhere else, it means a leak. */
export const MARKER = 'ofacmeonly'

const UNDO_MS = 10_000

/** The ids of one of everything in an organization. */
export interface Owned {
  ticket: string
  message: string
  failedMessage: string
  customer: string
  /** A reply that waits to be sent. */
  reply: string
  /** Ids that a client could make now. */
  newMessage: string
  newNote: string
  agent: string
  session: string
  key: string
  savedReply: string
  view: string
  endpoint: string
  delivery: string
  job: string
}

export interface FullOrganization {
  client: Client
  admin: SignedInAgent
  owned: Owned
}

/** Creates an organization with one of everything. Nothing changes on its own while the clock doesn't move. */
export async function makeFullOrganization(bellhop: Bellhop): Promise<FullOrganization> {
  const { deps } = bellhop
  const client = await bellhop.organization(`Acme ${MARKER}`)
  const { orgId } = client
  const admin = await signInAgent(bellhop, orgId, { name: `Ana ${MARKER}`, role: 'admin' })
  const { agent } = await inviteAgent(deps, orgId, {
    name: `Ben ${MARKER}`,
    email: `ben.${MARKER}@acme.example`,
    role: 'agent',
  })
  const { endpoint } = await createEndpoint(deps, orgId, {
    url: `https://hooks.example/${MARKER}`,
    events: ['ticket.created'],
  })
  await disableEndpoint(deps, orgId, endpoint.id)
  const ticket = await createTicket(deps, orgId, {
    subject: `Invoice ${MARKER}`,
    message: `Where is it? ${MARKER}`,
    customer: { name: `Carla ${MARKER}`, email: `carla.${MARKER}@example.com` },
    tags: [MARKER],
  })
  const { id: ticketId } = ticket
  const author = { agentId: admin.id, agentName: admin.name }
  const failed = await postAgentMessage(deps, orgId, { ticketId, text: MARKER, ...author })
  await deps.database.write(async (tx) => {
    await tx.update(messages).set({ sending: 'failed', sendError: MARKER }).where(eq(messages.id, failed.id))
    // The API channel has no replies to resend.
    await tx.update(tickets).set({ channel: 'email' }).where(eq(tickets.id, ticketId))
  })
  await putNote(deps, orgId, { ticketId, id: deps.newId('not'), text: MARKER, ...author })
  await keepDraft(deps, { orgId, ticketId, agentId: admin.id, kind: 'note', text: MARKER })
  const reply = deps.newId('msg')
  const sendAt = deps.clock.now() + UNDO_MS
  const by = { ...author, keyId: null }
  await scheduleMessage(deps, orgId, { ticketId, id: reply, text: MARKER, sendAt, author: by })
  const savedReply = await createSavedReply(deps, orgId, { name: MARKER, text: MARKER })
  const me = { agentId: admin.id, role: 'admin' as const }
  const view = await createView(deps, orgId, me, { name: MARKER, query: 'status:open', isShared: true })
  const { key } = await createApiKey(deps, orgId, { name: MARKER, kind: 'secret' })
  const [delivery] = (await listDeliveries(deps, orgId)).deliveries
  await eventually(async () => {
    const [stored] = await deps.database.read.select().from(endpoints).where(eq(endpoints.id, endpoint.id))
    return stored?.nextDeliveryAt === null
  })
  const job = deps.newId('job')
  const now = deps.clock.now()
  await deps.database.write(async (tx) => {
    const times = { since: now, until: now, createdAt: now, finishedAt: now }
    await tx.insert(resendJobs).values({ id: job, orgId, endpointId: endpoint.id, ...times })
  })
  return {
    client,
    admin,
    owned: {
      ticket: ticketId,
      message: ticket.messages[0]?.id ?? '',
      failedMessage: failed.id,
      customer: ticket.customerId,
      reply,
      newMessage: deps.newId('msg'),
      newNote: deps.newId('not'),
      agent: agent.id,
      session: admin.sessionId,
      key: key.id,
      savedReply: savedReply.id,
      view: view.id,
      endpoint: endpoint.id,
      delivery: delivery?.id ?? '',
      job,
    },
  }
}
