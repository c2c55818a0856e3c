import { Elysia } from 'elysia'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { changedTickets, tagList, tagRemoval, tagRename } from './schemas.ts'
import { listTags, removeTag, renameTag } from './tags.ts'

/** All tags, for every agent; renaming and removing one everywhere, for administrators. */
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
