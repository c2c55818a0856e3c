import { Elysia } from 'elysia'
import { type Caller, idOfCaller, type KeyGuard } from '../api-keys/require-api-key.ts'
import { actingAs, type Deps } from '../deps.ts'
import { AppError, invalid } from '../errors.ts'
import { createIdempotency } from '../idempotency/idempotency.ts'
import { yieldToEventLoop } from '../loop.ts'
import { arriveWithTickets, jsonBytes } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { createCheck, faultsOf } from '../requests/validation-errors.ts'
import { problemOf } from '../responses/problem.ts'
import { actorOf, answerHeaders, idempotent } from '../tickets/v1.ts'
import { idempotency, idempotencyKey, problem, replayed } from '../tickets/v1-document.ts'
import { type Importer, importTicket, readTeam } from './import-ticket.ts'
import { hashOf, readTickets } from './read-tickets.ts'
import { type ImportedTicket, importBody, importedTicket, importResult } from './schemas.ts'

type Result = (typeof importResult.static)['data'][number]

/** Units of one commit. Other requests have their turn before the next ones. */
const AT_ONCE = 10

/** Moves tickets with their history here from another system. */
export function importRoutes(deps: Deps, guard: KeyGuard) {
  const once = createIdempotency(deps)
  const isTicket = createCheck(importedTicket)

  return new Elysia({ name: 'imports/v1', prefix: '/v1' }).use(guard.requireApiKey).post(
    '/imports',
    async ({ caller, body, request, set }) => {
      const bytes = body as Uint8Array
      const key = request.headers.get('idempotency-key')
      // The body itself would take long to compare.
      const sent = key === null ? {} : { sha256: await hashOf(bytes) }
      const answer = await once(idempotent(caller, request, { path: '/v1/imports', body: sent }), {
        async change(alsoSave) {
          const results = await importAll(caller, bytes)
          if (key !== null) await deps.database.write(caller.orgId, (tx) => alsoSave(tx, results))
          return results
        },
        asAnswer: (data: Result[]) => ({ status: 200, body: { data } }),
        shows: () => '',
      })
      Object.assign(set.headers, answerHeaders(answer))
      return answer.body
    },
    {
      parse: arriveWithTickets,
      transform: [guard.allow('import:write'), strictQuery(), jsonBytes],
      response: { 200: importResult },
      detail: { ...importTickets, body: importBody },
    },
  )

  async function importAll(caller: Caller, bytes: Uint8Array): Promise<Result[]> {
    const sent = await readTickets(deps, bytes)
    const as = actingAs(deps, actorOf(caller))
    const { read } = deps.database
    const [team, { own }] = await Promise.all([
      readTeam(read, caller.orgId),
      deps.channels.byAddress.wayThrough(read, caller.orgId, ''),
    ])
    const importer = { uploader: idOfCaller(caller), name: caller.name, team, own }
    const results: Result[] = []
    for (let start = 0; start < sent.length; start += AT_ONCE) {
      const some = sent.slice(start, start + AT_ONCE)
      results.push(
        ...(await Promise.all(
          some.map((ticket) =>
            'refusal' in ticket
              ? refused(undefined, ticket.refusal)
              : importOne(as, caller.orgId, ticket.value, importer),
          ),
        )),
      )
      await yieldToEventLoop()
    }
    return results
  }

  async function importOne(as: Deps, orgId: string, value: unknown, importer: Importer): Promise<Result> {
    const externalId = externalIdOf(value)
    try {
      if (!isTicket(value)) throw invalid(faultsOf(importedTicket, value, 'body'))
      const { id, isNew } = await importTicket(as, orgId, value as ImportedTicket, importer)
      return { ...externalId, id, state: isNew ? 'created' : 'exists' }
    } catch (error) {
      if (error instanceof AppError && error.status < 500) return refused(externalId, error)
      throw error
    }
  }
}

function externalIdOf(value: unknown): { externalId?: string } {
  if (typeof value !== 'object' || value === null || !('externalId' in value)) return {}
  return typeof value.externalId === 'string' ? { externalId: value.externalId } : {}
}

/** Without the id of the request: the answer is the same when it is sent again. */
function refused(externalId: { externalId?: string } | undefined, error: AppError): Result {
  const { requestId: _, ...why } = problemOf(error, '')
  return { ...externalId, state: 'refused', problem: why }
}

const importTickets = {
  operationId: 'importTickets',
  summary: 'Import tickets with their history',
  description:
    'Stores up to 100 tickets of another system with their messages, notes, dates and authors. Each ticket is stored whole or not at all, and once: send the same again after a failure. No one is told: no email, no automatic reply, no notification, and no `ticket.created` or `message.sent`. The event log has one `ticket.imported` for each. Full access isn’t enough: the key needs the scope `import:write` by name.',
  tags: ['Tickets'],
  security: [{ secretKey: ['import:write'] }],
  parameters: [idempotencyKey],
  responses: {
    200: {
      description: 'What became of each ticket, in order. A refused one has a `problem`.',
      headers: { 'Idempotency-Replayed': replayed },
    },
    ...idempotency,
    408: problem('The body didn’t arrive within 30 seconds.'),
    413: problem('The body is larger than 8 MiB.'),
    415: problem('The body isn’t `application/json`.'),
  },
}
