import { Elysia } from 'elysia'
import type { Deps } from '../../deps.ts'
import { arriveWithText, jsonBody } from '../../requests/json-body.ts'
import { strictQuery } from '../../requests/query.ts'
import { byId } from '../../requests/schemas.ts'
import type { AgentGuard } from '../../sessions/require-agent.ts'
import { createCustomer, editCustomer } from './edit-customer.ts'
import { listCustomers } from './list-customers.ts'
import { readCustomer, readCustomerTickets } from './read-customer.ts'
import {
  customerChange,
  customerDetail,
  customerList,
  customerListQuery,
  customerTicketPage,
  newCustomer,
  pageQuery,
} from './schemas.ts'
import { viewCustomer, viewCustomerTicket, viewListedCustomer } from './views.ts'

/** The customers of an organization as agents see them. */
export function customerRoutes(deps: Deps, guard: AgentGuard) {
  const noQuery = strictQuery()
  const withBody = { parse: arriveWithText, transform: [noQuery, jsonBody] }
  return new Elysia({ name: 'customers/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/customers',
      async ({ me, query }) => {
        const { customers, nextCursor } = await listCustomers(deps, me.orgId, query)
        return { data: customers.map(viewListedCustomer), ...(nextCursor !== undefined && { nextCursor }) }
      },
      {
        transform: strictQuery(customerListQuery),
        query: customerListQuery,
        response: { 200: customerList },
      },
    )
    .post(
      '/customers',
      async ({ me, as, body, status }) => {
        const id = await createCustomer(as, me.orgId, body)
        return status(201, viewCustomer(await readCustomer(as, me.orgId, id)))
      },
      { ...withBody, body: newCustomer, response: { 201: customerDetail } },
    )
    .get(
      '/customers/:id',
      async ({ me, as, params }) => viewCustomer(await readCustomer(as, me.orgId, params.id)),
      { transform: noQuery, params: byId, response: { 200: customerDetail } },
    )
    .patch(
      '/customers/:id',
      async ({ me, as, params: { id }, body }) => {
        await editCustomer(as, me.orgId, { id, change: body })
        return viewCustomer(await readCustomer(as, me.orgId, id))
      },
      { ...withBody, params: byId, body: customerChange, response: { 200: customerDetail } },
    )
    .get(
      '/customers/:id/tickets',
      async ({ me, params, query }) => {
        const { tickets, nextCursor } = await readCustomerTickets(deps, me.orgId, { ...params, ...query })
        return { data: tickets.map(viewCustomerTicket), ...(nextCursor !== undefined && { nextCursor }) }
      },
      {
        transform: strictQuery(pageQuery),
        params: byId,
        query: pageQuery,
        response: { 200: customerTicketPage },
      },
    )
}
