import { Elysia } from 'elysia'
import type { Deps } from '../../deps.ts'
import { arrive, jsonBody } from '../../requests/json-body.ts'
import { strictQuery } from '../../requests/query.ts'
import { byId } from '../../requests/schemas.ts'
import type { AgentGuard } from '../../sessions/require-agent.ts'
import { readReplay, replayEvents, replayOf } from './replay.ts'
import { replay, replayRequest } from './schemas.ts'
import { viewReplay } from './views.ts'

/** Replays of events, for administrators. */
export function replayRoutes(deps: Deps, guard: AgentGuard) {
  const transform = [guard.adminsOnly, strictQuery()]
  return new Elysia({ name: 'replays/console', prefix: '/console' })
    .use(guard.requireAgent)
    .post(
      '/endpoints/:id/replay',
      async ({ me, as, params: { id }, body, status }) =>
        status(202, viewReplay(await replayEvents(as, me.orgId, replayOf(id, body)))),
      {
        parse: arrive,
        transform: [...transform, jsonBody],
        params: byId,
        body: replayRequest,
        response: { 202: replay },
      },
    )
    .get('/replays/:id', async ({ me, params: { id } }) => viewReplay(await readReplay(deps, me.orgId, id)), {
      transform,
      params: byId,
      response: { 200: replay },
    })
}
