import { Elysia } from 'elysia'
import type { KeyGuard } from '../api-keys/require-api-key.ts'
import type { Deps } from '../deps.ts'
import { strictQuery } from '../requests/query.ts'
import type { LargeResponses } from '../responses/large-responses.ts'
import { jsonSlices } from '../responses/row-slices.ts'
import { forwardLinks, forwardRequest, timesIn } from '../tickets/pagination.ts'
import { allMessages, allMessagesQuery } from '../tickets/schemas.ts'
import { longUrl, nextLink } from '../tickets/v1-document.ts'
import { findMessagesOf, readMessagesOf } from './all-messages.ts'

/** All messages of an organization, for programs that copy them. */
export function messageListRoutes(deps: Deps, guard: KeyGuard, large: LargeResponses) {
  const { read } = deps.database
  return new Elysia({ name: 'messages/list', prefix: '/v1' }).use(guard.requireApiKey).get(
    '/messages',
    async ({ caller: { orgId }, query: { role, ...query }, request, set }) => {
      const times = timesIn(query, 'created_since', 'created_before')
      const list = Bun.hash.wyhash(JSON.stringify(['messages', role, times])).toString(36)
      const wanted = forwardRequest(query, { name: list, prefix: 'msg' })
      const { found, next } = await deps.expensiveReads.run({ signal: request.signal }, (expensive) =>
        findMessagesOf(deps.database, orgId, { ...wanted, role, times, expensive }),
      )
      const { url } = request
      const { nextCursor, header } = forwardLinks(wanted, { next, list, path: '/v1/messages', url })
      if (header) set.headers.link = header
      const meta = { perPage: wanted.perPage, ...(nextCursor !== undefined && { nextCursor }) }
      return large.send({ request, orgId, name: url, set }, () =>
        jsonSlices({ data: readMessagesOf(read, orgId, found), meta }),
      )
    },
    {
      transform: [guard.allow('tickets:read'), strictQuery(allMessagesQuery)],
      query: allMessagesQuery,
      response: { 200: allMessages },
      detail: listAllMessages,
    },
  )
}

const listAllMessages = {
  operationId: 'listAllMessages',
  summary: 'List the messages of all tickets',
  description:
    'Returns a page of the messages of your organization, oldest first, each with the id of its ticket. Use it to copy everything: it takes a request for every 100 messages. Follow `meta.nextCursor` until it’s absent. A page can have fewer messages than `per_page` before that.',
  tags: ['Messages'],
  security: [{ secretKey: ['tickets:read'] }],
  responses: {
    200: { description: 'A page of messages.', headers: { Link: nextLink } },
    414: longUrl,
  },
}
