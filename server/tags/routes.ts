import { Elysia, t } from 'elysia'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { text } from '../text/text.ts'
import { listTags, removeTag, renameTag } from './tags.ts'

const strict = { additionalProperties: false }
const tag = text({ maxLength: 64 })
const tagList = t.Object({
  data: t.Array(t.Object({ tag: t.String(), total: t.Integer(), open: t.Integer(), views: t.Integer() })),
})
const tagRename = t.Object({ from: tag, to: tag }, strict)
const tagRemoval = t.Object({ tag }, strict)
/** The number of tickets that changed. */
const changedTickets = t.Object({ changed: t.Integer() })

/** The list of tags, for every agent; renaming and removing a tag everywhere, for administrators. */
export function tagRoutes(guard: AgentGuard) {
  const noQuery = strictQuery()
  const forAdmins = { parse: arrive, transform: [guard.adminsOnly, noQuery, jsonBody] }
  return new Elysia({ name: 'tags/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/tags', async ({ me, as }) => ({ data: await listTags(as, me.orgId) }), {
      transform: noQuery,
      response: { 200: tagList },
    })
    .post('/tags/rename', async ({ me, as, body }) => ({ changed: await renameTag(as, me.orgId, body) }), {
      ...forAdmins,
      body: tagRename,
      response: { 200: changedTickets },
    })
    .post(
      '/tags/remove',
      async ({ me, as, body }) => ({ changed: await removeTag(as, me.orgId, body.tag) }),
      { ...forAdmins, body: tagRemoval, response: { 200: changedTickets } },
    )
}
