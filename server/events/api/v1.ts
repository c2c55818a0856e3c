import { type AnyElysia, Elysia, type Static } from 'elysia'
import { type Caller, hasScope, type KeyGuard, requireScope } from '../../api-keys/require-api-key.ts'
import type { KeyScope } from '../../database/tables/api-keys.ts'
import { WEBHOOK_EVENTS, type WebhookEvent } from '../../database/tables/events.ts'
import type { Deps } from '../../deps.ts'
import { invalid } from '../../errors.ts'
import { STREAM_HEADERS } from '../../live/streams.ts'
import { strictQuery } from '../../requests/query.ts'
import { readTicketRow } from '../../tickets/tickets.ts'
import { longUrl, noTicket, problem } from '../../tickets/v1-document.ts'
import { startAt } from './list-events.ts'
import { type EventRequest, readPage, readTogether } from './read-page.ts'
import { DEFAULT_LIMIT, eventList, eventQuery, INCLUDES, type Include } from './schemas.ts'
import { streamEvents } from './stream.ts'
import type { EventWaits } from './waits.ts'

/** Events that need another scope than `tickets:read`. */
const SCOPES: Partial<Record<WebhookEvent, KeyScope>> = {
  'note.added': 'notes:read',
  'customer.updated': 'customers:read',
  'customer.deleted': 'customers:read',
  'customer.merged': 'customers:read',
}
const AFTER = { parameter: 'after' }
const EVENT_STREAM = 'text/event-stream'
/** While nothing happens, how soon a wait ends whose key isn't valid anymore. */
const ASK_AGAIN_AFTER_MS = 15_000

/** The log of events: what a mirror reads to miss nothing. */
export function eventRoutes(deps: Deps, guard: KeyGuard, waits: EventWaits) {
  const readWaited = readTogether(deps)

  /** Throws 400, 403, 404, 410, and 429 for a key with too many streams. */
  async function answerStream({ caller, query, request, server }: EventsContext): Promise<Response> {
    const wanted = await requestOf(deps, caller, query)
    const position = request.headers.get('last-event-id') ?? query.after ?? '0'
    const from = await startAt(deps, caller.orgId, position, AFTER)
    const place = waits.admit(caller.keyId, 'stream')
    // Otherwise the server closes the connection after 30 idle seconds.
    server?.timeout(request, 0)
    const stream = streamEvents(deps, waits, {
      ...wanted,
      from,
      readWaited,
      mayRead: () => guard.authenticate(request, server),
      onEnd: () => place[Symbol.dispose](),
    })
    return new Response(stream, { headers: STREAM_HEADERS })
  }

  async function answerPage({ caller, query, request, server }: EventsContext) {
    const { orgId, keyId } = caller
    const wanted = await requestOf(deps, caller, query)
    const first = await readPage(deps, wanted, await startAt(deps, orgId, query.after ?? '0', AFTER))
    const wait = query.wait ?? 0
    if (first.data.length > 0 || wait === 0) return viewPage(first)
    using _place = waits.admit(keyId, 'wait')
    server?.timeout(request, 0)
    const until = deps.clock.monotonic() + wait * 1_000
    let page = first
    for (;;) {
      const ms = until - deps.clock.monotonic()
      if (page.data.length > 0 || ms <= 0 || waits.isStopped() || request.signal.aborted) break
      await waits.until(orgId, {
        after: page.after,
        ms: Math.min(ms, ASK_AGAIN_AFTER_MS),
        signal: request.signal,
      })
      // The key may have been revoked meanwhile, or its program disabled.
      await guard.authenticate(request, server)
      page = await readWaited(wanted, page)
    }
    return viewPage(page)
  }

  return new Elysia({ name: 'events/v1', prefix: '/v1' }).use(guard.requireApiKey).get(
    '/events',
    ({ caller, query, request, server }) => {
      const context = { caller, query, request, server }
      const isStream = request.headers.get('accept')?.includes(EVENT_STREAM) === true
      return isStream ? answerStream(context) : answerPage(context)
    },
    {
      transform: [guard.allow('tickets:read'), strictQuery(eventQuery)],
      query: eventQuery,
      response: { 200: eventList },
      detail: listEventsDetail,
    },
  )
}

interface EventsContext {
  caller: Caller
  query: Static<typeof eventQuery>
  request: Request
  server: AnyElysia['server']
}

/** Throws 400 for an unknown word, 403 for what the key may not include, and 404 for a ticket that isn't there. */
async function requestOf(deps: Deps, caller: Caller, query: EventsContext['query']): Promise<EventRequest> {
  const { orgId } = caller
  const { ticket: ticketId, limit = DEFAULT_LIMIT } = query
  const types = typesOf(caller, query.types)
  const include = includesOf(caller, query.include)
  if (ticketId !== undefined) await readTicketRow(deps.database.read, orgId, ticketId)
  return { orgId, limit, types, ticketId, include }
}

function viewPage({ data, included, meta }: Awaited<ReturnType<typeof readPage>>) {
  return included ? { data, included, meta } : { data, meta }
}

/** The chosen events, or all, without those that the key may not read. Throws 400 for an unknown one. */
function typesOf(caller: Caller, text: string | undefined): Set<WebhookEvent> {
  const chosen = wordsOf(text, WEBHOOK_EVENTS, 'types') ?? [...WEBHOOK_EVENTS]
  return new Set(chosen.filter((type) => hasScope(caller, SCOPES[type] ?? 'tickets:read')))
}

/** Throws 400 for an unknown word, and 403 for customers without their scope. */
function includesOf(caller: Caller, text: string | undefined): Set<Include> {
  const chosen = new Set(wordsOf(text, INCLUDES, 'include') ?? [])
  if (chosen.has('customer')) requireScope(caller, 'customers:read')
  return chosen
}

function wordsOf<Word extends string>(
  text: string | undefined,
  words: readonly Word[],
  parameter: string,
): Word[] | undefined {
  if (text === undefined) return undefined
  return [...new Set(text.split(',').map((one) => one.trim()))].map((given) => {
    const word = words.find((one) => one === given)
    if (word) return word
    const detail = `Must be some of: ${words.join(', ')}.`
    throw invalid([{ parameter, code: 'not_allowed', detail }])
  })
}

const listEventsDetail = {
  operationId: 'listEvents',
  summary: 'List events',
  description:
    'Returns what happened, in the order in which it was saved: see [Mirror everything](/docs/mirror). Go on from `meta.after`: nothing at or before it ever appears later, so a reader who keeps it misses nothing, even after a crash. Events are kept for 90 days. With `Accept: text/event-stream`, the same events are a stream: each has its position as `id`, and `Last-Event-ID` resumes it. Events whose scope a key lacks are left out.',
  tags: ['Events'],
  security: [{ secretKey: ['tickets:read'] }],
  responses: {
    200: { description: 'The events, and where to go on.' },
    404: noTicket,
    410: problem(
      'The events after this position are no longer kept, or it is of another log: a backup was restored. Read everything again.',
    ),
    414: longUrl,
  },
}
