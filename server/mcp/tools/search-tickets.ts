import { type Static, Type } from '@sinclair/typebox'
import { hasScope, idOfCaller } from '../../api-keys/require-api-key.ts'
import { AppError, invalid } from '../../errors.ts'
import type { Filter } from '../../search/filters.ts'
import { MAX_QUERY_LENGTH } from '../../search/query-language.ts'
import { readSearch, type Search } from '../../search/read-search.ts'
import { searchPage } from '../../search/search-page.ts'
import { withExcerpts } from '../../search/ticket-excerpts.ts'
import { lengthOf } from '../../text/text.ts'
import { agentIdOf } from '../../tickets/filters/addresses.ts'
import { findTicketsById } from '../../tickets/queries.ts'
import { MAX_TEXT_LENGTH } from '../pieces.ts'
import { channel, cursor, limit, status, ticketFields, untrustedText } from '../schemas.ts'
import { defineTool, type ToolCall } from '../tool.ts'
import { viewTicket } from '../views.ts'

const MAX_TICKETS = 25
const USUAL_TICKETS = 10

const input = Type.Object(
  {
    query: Type.Optional(
      Type.String({
        maxLength: MAX_QUERY_LENGTH,
        description:
          'Words, and filters such as from:ana@example.com, after:2026-03-01, is:waiting, or meta.plan:gold. A “-” before one excludes it.',
      }),
    ),
    status: Type.Optional(status),
    channel: Type.Optional(channel),
    assignedTo: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 254,
        description: 'Id or email address of an agent, “me”, or “unassigned”.',
      }),
    ),
    tag: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    limit: Type.Optional(limit(MAX_TICKETS, USUAL_TICKETS)),
    cursor: Type.Optional(cursor),
  },
  { additionalProperties: false },
)

const found = Type.Object(
  {
    ...ticketFields,
    untrustedExcerpt: Type.Optional(untrustedText('Text around the first word of the query.')),
  },
  { additionalProperties: false },
)

export const searchTickets = defineTool({
  name: 'search_tickets',
  title: 'Search tickets',
  description:
    'Finds tickets by words and filters, those with the latest message first. Without arguments, it lists the inbox. Spam, snoozed, and merged tickets are left out, unless the query has is:spam, is:snoozed, or is:merged.',
  scope: 'tickets:read',
  input,
  output: Type.Object(
    {
      tickets: Type.Array(found),
      nextCursor: Type.Optional(Type.String({ description: 'Absent on the last page.' })),
      isTooBroad: Type.Optional(
        Type.Literal(true, {
          description:
            'The search stopped before it had looked at every ticket. Use a less common word, or more filters.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  effect: 'reads',
  async run({ deps, caller, signal }, args) {
    const { database } = deps
    const { orgId, agentId: me = '' } = caller
    const by = { agentId: idOfCaller(caller), signal }
    return deps.expensiveReads.run(by, async (expensive) => {
      const search = await searchFor({ deps, caller, signal }, args)
      const { terms } = search
      const hasNotes = hasScope(caller, 'notes:read')
      const { ids, ...page } = await searchPage(database, {
        ...{ orgId, me, search, sort: 'message_desc', expensive, hasNotes },
        list: Bun.hash.wyhash(JSON.stringify(['mcp', search])).toString(36),
        cursor: args.cursor || undefined,
        limit: args.limit ?? USUAL_TICKETS,
      })
      const rows = await findTicketsById(database.read, orgId, ids)
      const found = await withExcerpts(database.read, { orgId, rows, terms, hasNotes, expensive })
      const tickets = fit(
        found.map(({ excerpt, ...ticket }) => ({
          ...viewTicket(ticket),
          ...(excerpt !== undefined && { untrustedExcerpt: excerpt }),
        })),
      )
      const last = tickets.length < found.length ? tickets.at(-1) : undefined
      const nextCursor = last ? page.cursorAfter(last.id) : page.nextCursor
      return {
        data: {
          tickets,
          ...(nextCursor !== undefined && { nextCursor }),
          ...(page.isTooBroad && { isTooBroad: true as const }),
        },
      }
    })
  },
})

/** As many tickets as the answer has room for, but at least one. */
function fit<Found>(tickets: Found[]): Found[] {
  let left = MAX_TEXT_LENGTH
  const end = tickets.findIndex((ticket, place) => {
    left -= lengthOf(JSON.stringify(ticket))
    return left < 0 && place > 0
  })
  return end === -1 ? tickets : tickets.slice(0, end)
}

async function searchFor({ deps, caller }: ToolCall, args: Static<typeof input>): Promise<Search> {
  const { orgId, agentId: me = '' } = caller
  const { read } = deps.database
  const { status, channel, tag, assignedTo } = args
  const search = await readSearch(read, { orgId, me, text: args.query ?? '' }).catch((error) => {
    throw isInvalidQuery(error) ? withoutQuotes(error) : error
  })
  const filters: Filter[] = [...search.filters]
  if (status) filters.push({ isNegated: false, kind: 'status', value: status })
  if (channel) filters.push({ isNegated: false, kind: 'channel', value: channel })
  if (tag) filters.push({ isNegated: false, kind: 'tag', value: tag.trim() })
  if (assignedTo) {
    filters.push({
      isNegated: false,
      kind: 'assignee',
      value: await assigneeOf({ deps, caller }, assignedTo),
    })
  }
  return { ...search, filters }
}

async function assigneeOf(
  { deps, caller }: Pick<ToolCall, 'deps' | 'caller'>,
  given: string,
): Promise<string> {
  if (given === 'unassigned') return ''
  if (given !== 'me') return agentIdOf(deps.database.read, caller.orgId, given)
  if (caller.agentId !== undefined) return caller.agentId
  const detail = '“me” needs an agent or a program. This key belongs to neither.'
  throw invalid([{ pointer: '/assignedTo', code: 'not_allowed', detail }])
}

function isInvalidQuery(error: unknown): error is AppError {
  return error instanceof AppError && error.code === 'invalid_query'
}

/** What the error repeats of the query may be a customer's words, with quotation marks among them. */
function withoutQuotes({ status, code, message }: AppError): AppError {
  const detail = message.replaceAll(/\bmeta\.[^:]+:/g, 'meta.…:').replace(/“.*”/s, '“…”')
  return new AppError(status, code, detail)
}
