import { Elysia, t } from 'elysia'
import { hasScope, idOfCaller, type KeyGuard } from '../api-keys/require-api-key.ts'
import type { Deps } from '../deps.ts'
import { strictQuery } from '../requests/query.ts'
import { perPageOf } from '../tickets/pagination.ts'
import { findTicketsById } from '../tickets/queries.ts'
import { forwardMeta, listedTicket, nextCursor, per_page } from '../tickets/schemas.ts'
import { longUrl, problem } from '../tickets/v1-document.ts'
import { viewListedTicket } from '../tickets/views.ts'
import { marksIn } from './excerpt.ts'
import { MAX_QUERY_LENGTH } from './query-language.ts'
import { readSearch } from './read-search.ts'
import { searchPage } from './search-page.ts'
import { withExcerpts } from './ticket-excerpts.ts'

const TOO_BROAD = 'Use a less common word, or add from:, tag:, or after: to narrow the search.'

const searchQuery = t.Object(
  {
    q: t.String({
      minLength: 1,
      maxLength: MAX_QUERY_LENGTH,
      description:
        'Words and filters, as in the [search of the inbox](/docs/inbox#search). Days are in UTC. What is an agent’s own, such as `assigned:me` or `is:unread`, needs a key of a program.',
      examples: ['status:open invoice'],
    }),
    per_page,
    cursor: nextCursor,
  },
  { additionalProperties: false },
)

const foundTicket = t.Object(
  {
    ...listedTicket.properties,
    excerpt: t.Optional(
      t.Object(
        {
          text: t.String({
            description: 'Text around the first word, on one line.',
            examples: ['Where is my invoice?'],
          }),
          marks: t.Array(t.Array(t.Integer(), { minItems: 2, maxItems: 2 }), {
            description:
              'Where the words of the search are: from the first offset to before the second, in UTF-16 code units.',
            examples: [[[12, 19]]],
          }),
        },
        { $id: 'Excerpt', description: 'Absent if no message has a word of the search.' },
      ),
    ),
  },
  { $id: 'FoundTicket', base: listedTicket },
)

const foundTickets = t.Object(
  {
    data: t.Array(foundTicket),
    meta: t.Object(
      {
        ...forwardMeta.properties,
        tooBroad: t.Optional(
          t.String({
            description:
              'The search stopped before it had examined every ticket, and this says how to narrow it. `nextCursor` continues it.',
          }),
        ),
      },
      { $id: 'SearchMeta', base: forwardMeta },
    ),
  },
  { $id: 'FoundTicketList' },
)

/** The search of the inbox, for programs. */
export function searchApiRoutes(deps: Deps, guard: KeyGuard) {
  return new Elysia({ name: 'search/v1', prefix: '/v1' }).use(guard.requireApiKey).get(
    '/search',
    async ({ caller, query: { q, cursor, ...paging }, request: { signal } }) => {
      const { orgId, agentId: me = '' } = caller
      const { database } = deps
      const { read } = database
      const perPage = perPageOf(paging)
      const by = { agentId: idOfCaller(caller), signal }
      return deps.expensiveReads.run(by, async (expensive) => {
        const search = await readSearch(read, { orgId, me, text: q })
        const { terms } = search
        const hasNotes = hasScope(caller, 'notes:read')
        const { ids, ...page } = await searchPage(database, {
          ...{ orgId, me, search, sort: 'message_desc', expensive, hasNotes },
          list: Bun.hash.wyhash(JSON.stringify(['v1', search])).toString(36),
          cursor: cursor || undefined,
          limit: perPage,
        })
        const rows = await findTicketsById(read, orgId, ids)
        const found = await withExcerpts(read, { orgId, rows, terms, hasNotes, expensive })
        return {
          data: found.map(({ excerpt, ...ticket }) => ({
            ...viewListedTicket(ticket),
            ...(excerpt !== undefined && { excerpt: { text: excerpt, marks: marksIn(excerpt, terms) } }),
          })),
          meta: {
            perPage,
            ...(page.nextCursor !== undefined && { nextCursor: page.nextCursor }),
            ...(page.isTooBroad && { tooBroad: TOO_BROAD }),
          },
        }
      })
    },
    {
      transform: [guard.allow('tickets:read'), strictQuery(searchQuery)],
      query: searchQuery,
      response: { 200: foundTickets },
      detail: searchTickets,
    },
  )
}

const searchTickets = {
  operationId: 'searchTickets',
  summary: 'Search tickets',
  description:
    'Returns a page of the tickets that a search finds: those with the latest message first, and of a search for words those that changed last. New messages can be found within seconds. The words of internal notes are found with the scope `notes:read` alone. The tickets aren’t counted. Follow `meta.nextCursor` until it’s absent.',
  tags: ['Tickets'],
  security: [{ secretKey: ['tickets:read'] }],
  responses: {
    200: { description: 'A page of tickets.' },
    400: problem('The request is invalid, or the search can’t be read (`invalid_query`): `detail` says why.'),
    414: longUrl,
  },
}
