import { Elysia } from 'elysia'
import { hasScope, idOfCaller, type KeyGuard } from '../api-keys/require-api-key.ts'
import { withAttachments } from '../attachments/queries.ts'
import { actingAs, type Deps } from '../deps.ts'
import { createIdempotency } from '../idempotency/idempotency.ts'
import { arriveWithText, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { pageOfParts } from '../tickets/pagination.ts'
import { partsQuery, ticketId } from '../tickets/schemas.ts'
import { actorOf, answerHeaders, idempotent } from '../tickets/v1.ts'
import {
  badTextBody,
  idempotency,
  idempotencyKey,
  longUrl,
  nextLink,
  noTicket,
  problem,
  replayed,
} from '../tickets/v1-document.ts'
import { putNote } from './notes.ts'
import { newV1Note, v1ActivityList, v1Note, v1NoteList } from './schemas.ts'
import type { ActivityRow, NoteRow } from './thread.ts'
import { nextActivities, nextNotes } from './timeline.ts'
import { viewV1Activity, viewV1Note } from './views.ts'

/** The notes on a ticket, and who changed what and when. */
export function threadApiRoutes(deps: Deps, guard: KeyGuard) {
  const once = createIdempotency(deps)
  const { read } = deps.database
  return new Elysia({ name: 'threads/v1', prefix: '/v1' })
    .use(guard.requireApiKey)
    .get(
      '/tickets/:id/activity',
      async ({ caller, params: { id: ticketId }, query, request, set }) => {
        const list = { orgId: caller.orgId, ticketId, name: 'activity', prefix: 'act' } as const
        const { rows, meta } = await pageOfParts(read, list, { query, request, set }, (place) =>
          nextActivities(read, place),
        )
        const shown = hasScope(caller, 'notes:read') ? rows : withoutReasons(rows)
        return { data: shown.map(viewV1Activity), meta }
      },
      {
        transform: [guard.allow('tickets:read'), strictQuery(partsQuery)],
        params: ticketId,
        query: partsQuery,
        response: { 200: v1ActivityList },
        detail: listActivity,
      },
    )
    .get(
      '/tickets/:id/notes',
      async ({ caller: { orgId }, params: { id: ticketId }, query, request, set }) => {
        const list = { orgId, ticketId, name: 'notes', prefix: 'not' } as const
        const { rows, meta } = await pageOfParts(read, list, { query, request, set }, (place) =>
          nextNotes(read, place),
        )
        return { data: (await withAttachments(read, orgId, rows)).map(viewV1Note), meta }
      },
      {
        transform: [guard.allow('notes:read'), strictQuery(partsQuery)],
        params: ticketId,
        query: partsQuery,
        response: { 200: v1NoteList },
        detail: listNotes,
      },
    )
    .post(
      '/tickets/:id/notes',
      async ({ caller, params: { id: ticketId }, body, request, set, status }) => {
        const { orgId, agentId = '', name: agentName } = caller
        const as = actingAs(deps, actorOf(caller))
        const path = `/v1/tickets/${ticketId}/notes`
        const answer = await once(idempotent(caller, request, { path, body }), {
          async change(alsoSave) {
            const { format = 'plain', ...written } = body
            const author = { agentId, agentName, uploader: idOfCaller(caller) }
            const input = { id: deps.newId('not'), ticketId, ...author, ...written, format }
            return (await putNote(as, orgId, input, alsoSave)).note
          },
          asAnswer: (note: NoteRow) => ({ status: 201, body: viewV1Note(note) }),
          shows: () => ticketId,
        })
        Object.assign(set.headers, answerHeaders(answer))
        return status(201, answer.body)
      },
      {
        parse: arriveWithText,
        transform: [guard.allow('notes:write'), strictQuery(), jsonBody],
        params: ticketId,
        body: newV1Note,
        response: { 201: v1Note },
        detail: addNoteDetail,
      },
    )
}

/** Why an agent snoozed a ticket is only for who may read notes. */
function withoutReasons(rows: ActivityRow[]): ActivityRow[] {
  return rows.flatMap((row) => {
    const changes = row.changes.filter(({ field }) => field !== 'why')
    return changes.length === 0 && row.changes.length > 0 ? [] : [{ ...row, changes }]
  })
}

// What the API description says of each operation beyond its schemas.

const listActivity = {
  operationId: 'listActivity',
  summary: 'List the changes of a ticket',
  description:
    'Returns who changed what and when, oldest first: status, assignee, tags, subject, snoozes, spam, the customer, and merges. Why a ticket was snoozed (`why`) needs the scope `notes:read` too. Follow `meta.nextCursor` until it’s absent.',
  tags: ['Tickets'],
  security: [{ secretKey: ['tickets:read'] }],
  responses: {
    200: { description: 'A page of changes.', headers: { Link: nextLink } },
    404: noTicket,
    414: longUrl,
  },
}

const listNotes = {
  operationId: 'listNotes',
  summary: 'List notes',
  description:
    'Returns a page of the notes on a ticket, oldest first. Only your team sees notes, and they don’t change the ticket’s `updatedAt`. Follow `meta.nextCursor` until it’s absent.',
  tags: ['Notes'],
  security: [{ secretKey: ['notes:read'] }],
  responses: {
    200: { description: 'A page of notes.', headers: { Link: nextLink } },
    404: noTicket,
    414: longUrl,
  },
}

const addNoteDetail = {
  operationId: 'addNote',
  summary: 'Add a note',
  description:
    'Adds a note that only your team sees, under the name of the key or of its program. The customer isn’t told, no `message.sent` is sent, and the ticket’s `updatedAt` stays.',
  tags: ['Notes'],
  security: [{ secretKey: ['notes:write'] }],
  parameters: [idempotencyKey],
  responses: {
    201: { description: 'The note was added.', headers: { 'Idempotency-Replayed': replayed } },
    404: noTicket,
    409: problem(
      'The ticket was merged into another one (`ticket_merged`); or the first request with this Idempotency-Key is still running.',
    ),
    422: idempotency[422],
    ...badTextBody,
  },
}
