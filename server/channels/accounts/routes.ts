import type { TSchema } from '@sinclair/typebox'
import { status, t } from 'elysia'
import type { Deps } from '../../deps.ts'
import { arrive, jsonBody } from '../../requests/json-body.ts'
import { strictQuery } from '../../requests/query.ts'
import { byId } from '../../requests/schemas.ts'
import type { AgentGuard } from '../../sessions/require-agent.ts'

/** A request of an administrator about the accounts of an organization. */
interface OfAdmin {
  me: { orgId: string }
  as: Deps
  request: Request
}
type OnOne = OfAdmin & { params: { id: string } }
type OnAccount<Result> = (as: Deps, orgId: string, id: string) => Promise<Result>

/** Who may send a request about accounts, and what it has and returns: `all` of them, or `one`. */
export function accountHooks<Schema extends TSchema>(guard: AgentGuard, schema: Schema) {
  const transform = [guard.adminsOnly, strictQuery()]
  return {
    all: { transform, response: { 200: t.Object({ data: t.Array(schema) }) } },
    one: { transform, params: byId, response: { 200: schema } },
    gone: { transform, params: byId, response: { 204: t.Undefined() } },
    withBody: { parse: arrive, transform: [...transform, jsonBody] },
  }
}

/** Handlers of the routes that all accounts have. */
export function accountHandlers<Row, View>({
  list,
  viewAll,
}: {
  list: (as: Deps, orgId: string) => Promise<Row[]>
  /** Counts what belongs to the rows, once for all of them. */
  viewAll: (request: OfAdmin, rows: Row[]) => Promise<View[]>
}) {
  async function view(request: OfAdmin, row: Row): Promise<View> {
    const [only] = await viewAll(request, [row])
    if (only === undefined) throw new Error('An account has no view.')
    return only
  }

  return {
    view,
    list: async (request: OfAdmin) => ({
      data: await viewAll(request, await list(request.as, request.me.orgId)),
    }),
    /** Runs a verb and returns the account as it is afterward. */
    after: (verb: OnAccount<Row>) => async (request: OnOne) =>
      view(request, await verb(request.as, request.me.orgId, request.params.id)),
    remove:
      (verb: OnAccount<void>) =>
      async ({ as, me, params }: OnOne) => {
        await verb(as, me.orgId, params.id)
        return status(204, undefined)
      },
  }
}
