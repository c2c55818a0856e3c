import { Elysia, t } from 'elysia'
import { viewInboxAttachments } from '../attachments/views.ts'
import { arriveWithText, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { dismissal, suggestionPath, suggestionStatistics, usedSuggestion } from './schemas.ts'
import { readStatistics } from './statistics.ts'
import { dismissSuggestion, useSuggestion } from './suggestions.ts'
import { viewAuthor } from './views.ts'

/** How agents decide about what programs suggest, and how they decided so far. */
export function suggestionRoutes(guard: AgentGuard) {
  const noQuery = strictQuery()
  return new Elysia({ name: 'suggestions/console', prefix: '/console' })
    .use(guard.requireAgent)
    .post(
      '/tickets/:id/suggestions/:suggestionId/use',
      async ({ me: { orgId, agentId }, as, params: { id: ticketId, suggestionId: id } }) => {
        const { text, format, attachments } = await useSuggestion(as, orgId, { ticketId, id, agentId })
        return { text, format, ...viewInboxAttachments(attachments) }
      },
      { transform: noQuery, params: suggestionPath, response: { 200: usedSuggestion } },
    )
    .post(
      '/tickets/:id/suggestions/:suggestionId/dismiss',
      async ({ me: { orgId }, as, params: { id: ticketId, suggestionId: id }, body, status }) => {
        await dismissSuggestion(as, orgId, { ticketId, id, reason: body.reason?.trim() ?? '' })
        return status(204, undefined)
      },
      {
        parse: arriveWithText,
        transform: [noQuery, jsonBody],
        params: suggestionPath,
        body: dismissal,
        response: { 204: t.Undefined() },
      },
    )
    .get(
      '/suggestions/statistics',
      async ({ me: { orgId }, as }) => ({
        data: (await readStatistics(as.database.read, orgId)).map(({ by, byId, counts }) => ({
          by: viewAuthor(by, byId),
          ...counts,
        })),
      }),
      { transform: [guard.adminsOnly, noQuery], response: { 200: suggestionStatistics } },
    )
}
