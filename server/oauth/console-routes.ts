import { Elysia, t } from 'elysia'
import { arrive, jsonBody } from '../requests/json-body.ts'
import { strictQuery } from '../requests/query.ts'
import { byId } from '../requests/schemas.ts'
import type { AgentGuard } from '../sessions/require-agent.ts'
import { readAuthorization, returnTo } from './authorization.ts'
import type { Clients } from './clients.ts'
import { connectProgram, disconnectProgram, listGrants } from './grants.ts'
import type { AddressesOf } from './oauth-addresses.ts'
import { OAuthError } from './oauth-error.ts'
import * as schemas from './schemas.ts'
import { viewAuthorization, viewConnectedProgram } from './views.ts'

/** For the page where an agent lets a program act for them, and the page where they end that. */
export function consentRoutes(
  guard: AgentGuard,
  { addressesOf, clients }: { addressesOf: AddressesOf; clients: Clients },
) {
  const noQuery = strictQuery()
  const withBody = { parse: arrive, transform: [noQuery, jsonBody] }

  return (
    new Elysia({ name: 'oauth/console', prefix: '/console' })
      .use(guard.requireAgent)
      // Not GET, because it may load the program's document.
      .post(
        '/connected-programs/request',
        async ({ me, body, request }) => {
          const addresses = addressesOf(request)
          return viewAuthorization(await readAuthorization(clients, body.query, { me, addresses }), addresses)
        },
        { ...withBody, body: schemas.authorizationQuery, response: { 200: schemas.authorizationRequest } },
      )
      .post(
        '/connected-programs',
        async ({ me, as, body, request }) => {
          const addresses = addressesOf(request)
          const read = await readAuthorization(clients, body.query, { me, addresses })
          if ('error' in read) return { returnTo: returnTo(read, addresses, read.error) }
          const { authorization } = read
          const scopes = authorization.scopes.filter((scope) => body.scopes?.includes(scope))
          if (scopes.length === 0) return { returnTo: returnTo(read, addresses, DENIED) }
          const code = await connectProgram(as, me, { ...authorization, scopes })
          return { returnTo: returnTo(read, addresses, { code }) }
        },
        { ...withBody, body: schemas.consent, response: { 200: schemas.consented } },
      )
      .get(
        '/connected-programs',
        async ({ me, as }) => ({ data: (await listGrants(as, me)).map(viewConnectedProgram) }),
        { transform: noQuery, response: { 200: schemas.connectedPrograms } },
      )
      .delete(
        '/connected-programs/:id',
        async ({ me, as, params: { id }, status }) => {
          await disconnectProgram(as, me, id)
          return status(204, undefined)
        },
        { transform: noQuery, params: byId, response: { 204: t.Undefined() } },
      )
  )
}

const DENIED = new OAuthError('access_denied', 'The agent denied access.')
