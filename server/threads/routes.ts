import { Elysia, t } from 'elysia'
import { isoTime } from '../dates.ts'
import type { Deps } from '../deps.ts'
import { arriveWithText, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { byId } from '../requests/schemas.ts'
import type { LargeResponses } from '../responses/large-responses.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { changeCustomer } from '../tickets/change-customer.ts'
import { readTicketRow } from '../tickets/tickets.ts'
import { updateTicket } from '../tickets/update-ticket.ts'
import { keepDraft } from './drafts.ts'
import { setFollowing } from './followers.ts'
import { markMentionsSeen } from './mentions.ts'
import { putNote } from './notes.ts'
import { markRead, markUnread } from './read-marks.ts'
import {
  inboxChange,
  inboxTicket,
  newCustomer,
  newDraft,
  noteEntry,
  noteId,
  noteText,
  readMark,
  savedDraft,
  thread,
} from './schemas.ts'
import { readFrame } from './thread.ts'
import { threadSlices } from './timeline.ts'
import { viewInboxTicket, viewNote } from './views.ts'

/** One ticket as an agent sees it: its thread, read marks, drafts and notes. */
export function threadRoutes(deps: Deps, guard: AgentGuard, large: LargeResponses) {
  const noQuery = strictQuery()
  const withBody = { parse: arriveWithText, transform: [noQuery, jsonBody], params: byId }
  return new Elysia({ name: 'threads/console', prefix: '/console' })
    .use(guard.requireAgent)
    .patch(
      '/tickets/:id',
      async ({ me: { orgId }, as, params: { id }, body }) => {
        await updateTicket(as, orgId, { id, change: body })
        return viewInboxTicket(await readTicketRow(deps.database.read, orgId, id))
      },
      { ...withBody, body: inboxChange, response: { 200: inboxTicket } },
    )
    .post(
      '/tickets/:id/customer',
      async ({ me: { orgId }, as, params: { id }, body }) => {
        await changeCustomer(as, orgId, { ticketId: id, ...body })
        return viewInboxTicket(await readTicketRow(deps.database.read, orgId, id))
      },
      { ...withBody, body: newCustomer, response: { 200: inboxTicket } },
    )
    .put(
      '/tickets/:id/read',
      async ({ me: { orgId, agentId }, as, params, body, status }) => {
        await markRead(as, { orgId, agentId, ticketId: params.id, messageId: body.messageId })
        return status(204, undefined)
      },
      { ...withBody, body: readMark, response: { 204: t.Undefined() } },
    )
    .delete(
      '/tickets/:id/read',
      async ({ me: { orgId, agentId }, as, params, status }) => {
        await markUnread(as, { orgId, agentId, ticketId: params.id })
        return status(204, undefined)
      },
      { transform: noQuery, params: byId, response: { 204: t.Undefined() } },
    )
    .put(
      '/tickets/:id/mentions/seen',
      async ({ me: { orgId, agentId }, as, params, status }) => {
        await markMentionsSeen(as, { orgId, agentId, ticketId: params.id })
        return status(204, undefined)
      },
      { transform: noQuery, params: byId, response: { 204: t.Undefined() } },
    )
    .put(
      '/tickets/:id/follower',
      async ({ me: { orgId, agentId }, as, params, status }) => {
        await setFollowing(as, { orgId, agentId, ticketId: params.id, isFollowing: true })
        return status(204, undefined)
      },
      { transform: noQuery, params: byId, response: { 204: t.Undefined() } },
    )
    .delete(
      '/tickets/:id/follower',
      async ({ me: { orgId, agentId }, as, params, status }) => {
        await setFollowing(as, { orgId, agentId, ticketId: params.id, isFollowing: false })
        return status(204, undefined)
      },
      { transform: noQuery, params: byId, response: { 204: t.Undefined() } },
    )
    .put(
      '/tickets/:id/draft',
      async ({
        me: { orgId, agentId },
        as,
        params,
        body: { base: savedAt, sendAt: time, attachments = [], ...written },
      }) => {
        const base = typeof savedAt === 'string' ? Date.parse(savedAt) : savedAt
        const sendAt = time ? Date.parse(time) : null
        const draft = { orgId, agentId, ticketId: params.id, ...written, sendAt, attachments, base }
        return { savedAt: isoTime(await keepDraft(as, draft)) }
      },
      { ...withBody, body: newDraft, response: { 200: savedDraft } },
    )
    .put(
      '/tickets/:id/notes/:noteId',
      async ({
        me: { orgId, agentId, name: agentName },
        as,
        params,
        body: { format = 'plain', ...body },
        status,
      }) => {
        const written = { ticketId: params.id, id: params.noteId, agentId, agentName, ...body, format }
        const { note, isNew } = await putNote(as, orgId, written)
        return status(isNew ? 201 : 200, viewNote(note))
      },
      { ...withBody, params: noteId, body: noteText, response: { 200: noteEntry, 201: noteEntry } },
    )
    .get(
      '/tickets/:id',
      async ({ me: { orgId, agentId }, params: { id: ticketId }, request, set }) => {
        const frame = await readFrame(deps, orgId, { ticketId, agentId })
        return large.send({ request, orgId, name: `thread of ${ticketId}`, set }, () =>
          threadSlices(deps, frame),
        )
      },
      { transform: noQuery, params: byId, response: { 200: thread } },
    )
}
