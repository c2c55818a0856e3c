import { Elysia } from 'elysia'
import type { Deps } from '../../../deps.ts'
import type { AgentGuard } from '../../../sessions/require-agent.ts'
import { withAssignee } from '../../accounts/default-assignee.ts'
import { accountHandlers, accountHooks } from '../../accounts/routes.ts'
import { createBotApi } from '../bot-api/bot-api.ts'
import { botProblems } from './bot-health.ts'
import { checkBot, dismissMissed, pauseBot, removeBot, removeWebhook, resumeBot } from './bot-state.ts'
import { createBot, listBots, readBot, updateBot } from './bots.ts'
import * as schemas from './schemas.ts'
import { viewBot, viewBotProblem, viewBots } from './views.ts'

/** Telegram bots, for administrators. */
export function botRoutes(deps: Deps, guard: AgentGuard) {
  const api = createBotApi({ clock: deps.clock, root: deps.config.telegramApi })
  const { all, one, gone, withBody } = accountHooks(guard, schemas.botSchema)
  const bots = accountHandlers({
    list: listBots,
    viewAll: ({ as, me }, rows) => viewBots(as, me.orgId, rows),
  })

  return new Elysia({ name: 'bots/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/bots', bots.list, all)
    .get(
      '/bots/problems',
      async ({ me, as }) => ({ data: (await botProblems(as, me.orgId)).map(viewBotProblem) }),
      { ...all, response: { 200: schemas.botProblemList } },
    )
    .get('/bots/:id', bots.after(readBot), one)
    .post(
      '/bots',
      async ({ me, as, body, status }) =>
        status(201, viewBot(await createBot(as, api, me.orgId, withAssignee(body)))),
      { ...withBody, body: schemas.newBot, response: { 201: schemas.botSchema } },
    )
    .patch(
      '/bots/:id',
      async (request) => {
        const {
          me,
          as,
          params: { id },
          body,
        } = request
        return bots.view(request, await updateBot(as, api, me.orgId, { id, change: withAssignee(body) }))
      },
      { ...one, ...withBody, body: schemas.botChange },
    )
    .delete(
      '/bots/:id',
      bots.remove((as, orgId, id) => removeBot(as, api, orgId, id)),
      gone,
    )
    .post('/bots/:id/pause', bots.after(pauseBot), one)
    .post('/bots/:id/resume', bots.after(resumeBot), one)
    .post(
      '/bots/:id/check',
      bots.after((as, orgId, id) => checkBot(as, api, orgId, id)),
      one,
    )
    .post(
      '/bots/:id/webhook/remove',
      bots.after((as, orgId, id) => removeWebhook(as, api, orgId, id)),
      one,
    )
    .post('/bots/:id/missed/dismiss', bots.after(dismissMissed), one)
}
