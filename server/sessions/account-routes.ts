import { Elysia, t } from 'elysia'
import { changeAgent } from '../agents/agents.ts'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { byId } from '../requests/schemas.ts'
import {
  changePassword,
  changeSendKey,
  changeSignature,
  listSessions,
  readSignature,
  revokeOtherSessions,
  revokeSession,
} from './account.ts'
import type { Attempts } from './attempts.ts'
import type { AgentGuard } from './require-agent.ts'
import * as schemas from './schemas.ts'
import { viewBrowser, viewSession } from './views.ts'

/** Routes for an agent's own sessions, password, name and signature. */
export function accountRoutes(guard: AgentGuard, attempts: Attempts) {
  const noQuery = strictQuery()
  const withBody = { parse: arrive, transform: [noQuery, jsonBody] }

  return new Elysia({ name: 'sessions/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/session', ({ me, as }) => viewSession(me, as.config), {
      transform: noQuery,
      response: { 200: schemas.session },
    })
    .get(
      '/sessions',
      async ({ me, as }) => ({ data: (await listSessions(as, me)).map((one) => viewBrowser(one, me)) }),
      { transform: noQuery, response: { 200: schemas.sessionList } },
    )
    .delete('/sessions', async ({ me, as }) => ({ ended: await revokeOtherSessions(as, me) }), {
      transform: noQuery,
      response: { 200: schemas.endedSessions },
    })
    .delete(
      '/sessions/:id',
      async ({ me, as, params, status }) => {
        await revokeSession(as, me, params.id)
        return status(204, undefined)
      },
      { transform: noQuery, params: byId, response: { 204: t.Undefined() } },
    )
    .post(
      '/password',
      async ({ me, as, body, status }) => {
        // Counted apart from sign-ins, so that no one else can use up this agent's attempts.
        await attempts.limited({ account: me.agentId }, () => changePassword(as, me, body))
        return status(204, undefined)
      },
      { ...withBody, body: schemas.passwordChange, response: { 204: t.Undefined() } },
    )
    .patch(
      '/me',
      async ({ me, as, body: { name, sendsByEnter } }) => {
        if (sendsByEnter !== undefined) await changeSendKey(as, me, sendsByEnter)
        const change = name === undefined ? {} : { name }
        const agent = await changeAgent(as, me.orgId, { id: me.agentId, change })
        const now = { ...me, name: agent.name, sendsByEnter: sendsByEnter ?? me.sendsByEnter }
        return viewSession(now, as.config)
      },
      { ...withBody, body: schemas.selfChange, response: { 200: schemas.session } },
    )
    .get('/me/signature', async ({ me, as }) => ({ signature: await readSignature(as, me) }), {
      transform: noQuery,
      response: { 200: schemas.savedSignature },
    })
    .put(
      '/me/signature',
      async ({ me, as, body }) => ({ signature: await changeSignature(as, me, body.signature) }),
      { ...withBody, body: schemas.ownSignature, response: { 200: schemas.savedSignature } },
    )
}
