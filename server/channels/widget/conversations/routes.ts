import { Elysia, t } from 'elysia'
import { fileResponse } from '../../../attachments/download.ts'
import { uploadedAttachment, uploadQuery } from '../../../attachments/schemas.ts'
import { viewUpload } from '../../../attachments/views.ts'
import { actingAs, type Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { admitUpload } from '../../../requests/arriving-bodies.ts'
import { announcedBytes, arriveWithText, jsonBody } from '../../../requests/json-body.ts'
import { strictQuery } from '../../../requests/query.ts'
import { updateTicket } from '../../../tickets/update-ticket.ts'
import type { VisitorStreams } from '../stream/visitor-streams.ts'
import { telegramLink } from '../telegram-link.ts'
import type { VisitorGuard, VisitorRequest } from '../visitors/require-visitor.ts'
import { markSeen } from './mark-seen.ts'
import {
  conversationById,
  listConversations,
  readConversation,
  readSent,
  requireConversation,
  unknownConversation,
} from './read-conversations.ts'
import { receiveVisitorMessage } from './receive-visitor-message.ts'
import * as schemas from './schemas.ts'
import { viewConversation, viewMessage } from './views.ts'
import { openFile, receiveFile } from './visitor-files.ts'

const hide = { detail: { hide: true } }

/** A visitor's conversations: reading, writing, files. */
export function conversationRoutes(
  deps: Deps,
  { guard, streams }: { guard: VisitorGuard; streams: VisitorStreams },
) {
  const noQuery = strictQuery()
  const withBody = { parse: arriveWithText, transform: [noQuery, jsonBody] }
  return new Elysia({ name: 'widget/conversations', prefix: '/widget/:key' })
    .use(guard.requireVisitor)
    .get(
      '/conversations',
      async ({ visitor }) => {
        const { conversations, event } = await listConversations(deps, visitor)
        return { data: conversations.map(viewConversation), event }
      },
      { transform: noQuery, response: { 200: schemas.conversationList }, ...hide },
    )
    .get(
      '/conversations/:id',
      async ({ visitor, params: { id }, query: { before } }) => {
        const page = await readConversation(deps, visitor, { id, before })
        return {
          conversation: viewConversation(page.conversation),
          messages: page.messages.map(viewMessage),
          hasOlder: page.hasOlder,
          event: page.event,
        }
      },
      {
        transform: strictQuery(schemas.conversationQuery),
        query: schemas.conversationQuery,
        response: { 200: schemas.conversationPage },
        ...hide,
      },
    )
    .put(
      '/conversations/:conversation/messages/:clientId',
      async ({ widget, visitor, params, body, status }) => {
        const { text = '', attachments = [], ...typed } = body
        const { conversation, clientId } = params
        const written = { conversation, clientId, text, attachments, typed }
        const sent = await receiveVisitorMessage(deps, { widget, me: visitor }, written)
        guard.uploads.sent(visitor.orgId, attachments)
        const shown = await readSent(deps, visitor.orgId, sent)
        if (!sent.isRepeated) streams.countMessage()
        return status(sent.isRepeated ? 200 : 201, {
          conversation: viewConversation(shown.conversation),
          message: viewMessage(shown.message),
        })
      },
      {
        ...withBody,
        // Before the body is read, so that refused messages count too.
        transform: [
          noQuery,
          ({ widget, visitor, address }: VisitorRequest) =>
            guard.limits.message({ visitorId: visitor.id, address, widgetId: widget.id }),
          jsonBody,
        ],
        params: schemas.messagePath,
        body: schemas.newMessage,
        response: { 200: schemas.sentMessage, 201: schemas.sentMessage },
        ...hide,
      },
    )
    .post(
      '/conversations/:id/seen',
      async ({ visitor, params: { id }, body: { messageId }, status }) => {
        await markSeen(deps, visitor, { id, messageId })
        return status(204, undefined)
      },
      { ...withBody, body: schemas.seenMessage, response: { 204: t.Undefined() }, ...hide },
    )
    .post(
      '/conversations/:id/typing',
      async ({ visitor, params: { id }, body: { isTyping }, status }) => {
        const { ticketId, orgId } = await requireConversation(deps.database.read, visitor, id)
        streams.visitorTyping({ orgId, ticketId, isTyping })
        return status(204, undefined)
      },
      { ...withBody, body: schemas.typingState, response: { 204: t.Undefined() }, ...hide },
    )
    .post(
      '/conversations/:id/end',
      async ({ visitor, params }) => {
        const { ticketId, orgId, status } = await requireConversation(deps.database.read, visitor, params.id)
        const name = visitor.verifiedName || visitor.typedName || 'The visitor'
        const as = actingAs(deps, { kind: 'system', name })
        if (status !== 'resolved')
          await updateTicket(as, orgId, { id: ticketId, change: { status: 'resolved' } })
        const ended = await conversationById(deps, { orgId, ticketId })
        if (!ended) throw unknownConversation()
        return { conversation: viewConversation(ended) }
      },
      { transform: noQuery, response: { 200: schemas.endedConversation }, ...hide },
    )
    .post(
      '/conversations/:id/telegram',
      async ({ widget, visitor, params: { id } }) => {
        const { ticketId, orgId } = await requireConversation(deps.database.read, visitor, id)
        return { url: await telegramLink(deps, { orgId, ticketId, widgetId: widget.id }) }
      },
      { transform: noQuery, response: { 200: schemas.telegramLinkSchema }, ...hide },
    )
    .post(
      '/files',
      async ({ widget, visitor, address, query, request, server, set, status }) => {
        requireUncompressed(request)
        using _ = admitUpload({ address, request, server, set })
        const from = { orgId: visitor.orgId, widgetId: widget.id, visitorId: visitor.id, address }
        const file = await receiveFile(deps, visitor, {
          name: query.name,
          body: request.body,
          announcedBytes: announcedBytes(request),
          count: (bytes) => guard.uploads.count(from, bytes),
        })
        return status(201, viewUpload(file))
      },
      {
        parse: 'none',
        transform: strictQuery(uploadQuery),
        query: uploadQuery,
        response: { 201: uploadedAttachment },
        ...hide,
      },
    )
    .get(
      '/files/:id',
      async ({ visitor, params, request }) => {
        const file = await openFile(deps, visitor, params.id)
        const response = fileResponse(request, file, 'private, max-age=31536000, immutable')
        response.headers.append('vary', 'Origin')
        return response
      },
      { transform: noQuery, ...hide },
    )
}

function requireUncompressed({ headers }: Request): void {
  const encoding = headers.get('content-encoding')
  if (encoding === null || encoding.toLowerCase() === 'identity') return
  throw new AppError(415, 'unsupported_media_type', 'Send the file without Content-Encoding, not compressed.')
}
