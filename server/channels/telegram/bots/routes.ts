import { Elysia, t } from 'elysia'
import type { Deps } from '../../../deps.ts'
import { arrive, jsonBody } from '../../../requests/json-body.ts'
import { strictQuery } from '../../../requests/query.ts'
import { byId } from '../../../requests/schemas.ts'
import type { AgentGuard } from '../../../sessions/require-agent.ts'
import { createBotApi } from '../bot-api/bot-api.ts'
import { botProblems } from './bot-alerts.ts'
import { countQueues } from './bot-health.ts'
import type { Bot } from './bot-rows.ts'
import { checkBot, dismissMissed, pauseBot, removeBot, removeWebhook, resumeBot } from './bot-state.ts'
import { createBot, listBots, readBot, updateBot } from './bots.ts'
import * as schemas from './schemas.ts'
import { viewBot, viewBotProblem } from './views.ts'

/** Telegram bots, for administrators. */
export function botRoutes(deps: Deps, guard: AgentGuard) {
  const api = createBotApi({ clock: deps.clock, root: deps.config.telegramApi })
  const transform = [guard.adminsOnly, strictQuery()]
  const withBody = { parse: arrive, transform: [...transform, jsonBody] }
  const one = { transform, params: byId, response: { 200: schemas.botSchema } }

  return new Elysia({ name: 'bots/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/bots',
      async ({ me, as }) => {
        const queues = await countQueues(as, me.orgId)
        return { data: (await listBots(as, me.orgId)).map((bot) => viewBot(bot, queues.get(bot.id))) }
      },
      { transform, response: { 200: schemas.botList } },
    )
    .get(
      '/bots/problems',
      async ({ me, as }) => ({ data: (await botProblems(as, me.orgId)).map(viewBotProblem) }),
      { transform, response: { 200: schemas.botProblemList } },
    )
    .get('/bots/:id', async ({ me, as, params }) => shown(as, await readBot(as, me.orgId, params.id)), one)
    .post(
      '/bots',
      async ({ me, as, body, status }) =>
        status(201, viewBot(await createBot(as, api, me.orgId, entered(body)))),
      { ...withBody, body: schemas.newBot, response: { 201: schemas.botSchema } },
    )
    .patch(
      '/bots/:id',
      async ({ me, as, params: { id }, body }) =>
        shown(as, await updateBot(as, api, me.orgId, { id, change: entered(body) })),
      { ...withBody, params: byId, body: schemas.botChange, response: { 200: schemas.botSchema } },
    )
    .delete(
      '/bots/:id',
      async ({ me, as, params, status }) => {
        await removeBot(as, api, me.orgId, params.id)
        return status(204, undefined)
      },
      { transform, params: byId, response: { 204: t.Undefined() } },
    )
    .post(
      '/bots/:id/pause',
      async ({ me, as, params }) => shown(as, await pauseBot(as, me.orgId, params.id)),
      one,
    )
    .post(
      '/bots/:id/resume',
      async ({ me, as, params }) => shown(as, await resumeBot(as, me.orgId, params.id)),
      one,
    )
    .post(
      '/bots/:id/check',
      async ({ me, as, params }) => shown(as, await checkBot(as, api, me.orgId, params.id)),
      one,
    )
    .post(
      '/bots/:id/webhook/remove',
      async ({ me, as, params }) => shown(as, await removeWebhook(as, api, me.orgId, params.id)),
      one,
    )
    .post(
      '/bots/:id/missed/dismiss',
      async ({ me, as, params }) => shown(as, await dismissMissed(as, me.orgId, params.id)),
      one,
    )
}

async function shown(as: Deps, bot: Bot) {
  const queues = await countQueues(as, bot.orgId)
  return viewBot(bot, queues.get(bot.id))
}

function entered<Input extends { defaultAssignee?: string | null }>(input: Input) {
  const { defaultAssignee, ...fields } = input
  return { ...fields, ...(defaultAssignee !== undefined && { defaultAssignee: defaultAssignee ?? '' }) }
}
