import { Elysia, t } from 'elysia'
import type { KeyGuard } from '../../api-keys/require-api-key.ts'
import { actingAs, type Deps } from '../../deps.ts'
import { eraseCustomer } from '../../erasure/erase.ts'
import { invalid, notFound } from '../../errors.ts'
import { isId } from '../../ids.ts'
import { customerId } from '../../moves/schemas.ts'
import { isNamed } from '../../requests/headers.ts'
import { arriveWithText, jsonBody } from '../../requests/json-body.ts'
import { strictQuery } from '../../requests/query.ts'
import { finishedResponse } from '../../responses/finished-response.ts'
import type { LargeResponses } from '../../responses/large-responses.ts'
import { jsonSlices } from '../../responses/row-slices.ts'
import { actorOf } from '../../tickets/v1.ts'
import { badTextBody, problem } from '../../tickets/v1-document.ts'
import { ownerOf } from '../customers.ts'
import { type CustomerChange, editCustomer, putCustomer } from '../directory/edit-customer.ts'
import { findCustomers, isFound } from '../directory/list-customers.ts'
import {
  customerEtag,
  findByExternalId,
  readShownCustomers,
  type ShownCustomer,
  survivorOf,
  viewShownCustomer,
} from '../shown-customers.ts'
import {
  customer,
  customerChange,
  customerInput,
  customerList,
  customerQuery,
  externalCustomer,
} from './schemas.ts'

const MAX_PER_PAGE = 100
const DEFAULT_PER_PAGE = 25
/** Customers read at once for a page: each can have a note of 10,000 characters. */
const CUSTOMERS_PER_SLICE = 10

/** The customers of an organization. */
export function customerApiRoutes(deps: Deps, guard: KeyGuard, large: LargeResponses) {
  const noQuery = strictQuery()
  const { read } = deps.database
  const withBody = {
    parse: arriveWithText,
    transform: [guard.allow('customers:write'), noQuery, jsonBody],
  }
  return new Elysia({ name: 'customers/v1', prefix: '/v1' })
    .use(guard.requireApiKey)
    .get(
      '/customers',
      async ({ caller: { orgId }, query, request, set }) => {
        const perPage = Math.min(query.per_page ?? DEFAULT_PER_PAGE, MAX_PER_PAGE)
        const { ids, nextCursor } = await findPage(deps, orgId, { ...query, limit: perPage })
        const meta = { perPage, ...(nextCursor !== undefined && { nextCursor }) }
        return large.send({ request, orgId, name: request.url, set }, () =>
          jsonSlices({ data: viewedSlices(deps, orgId, ids), meta }),
        )
      },
      {
        transform: [guard.allow('customers:read'), strictQuery(customerQuery)],
        query: customerQuery,
        response: { 200: customerList },
        detail: listCustomers,
      },
    )
    .get(
      '/customers/:id',
      async ({ caller: { orgId }, params: { id }, request, set }) => {
        const found = await requireShown(
          deps,
          orgId,
          isId('usr', id) ? await survivorOf(read, orgId, id) : id,
        )
        const etag = customerEtag(found)
        set.headers.etag = etag
        const ifNoneMatch = request.headers.get('if-none-match')
        if (ifNoneMatch !== null && isNamed(ifNoneMatch, etag)) return finishedResponse(set, null, 304)
        return finishedResponse(set, JSON.stringify(viewShownCustomer(found)))
      },
      {
        transform: [guard.allow('customers:read'), noQuery],
        params: customerId,
        response: { 200: customer, 304: t.Undefined() },
        detail: readCustomer,
      },
    )
    .patch(
      '/customers/:id',
      async ({ caller, params: { id }, body, request, set }) => {
        requireOneWay(body)
        await editCustomer(actingAs(deps, actorOf(caller)), caller.orgId, {
          id,
          change: body,
          ifMatch: ifMatchOf(request),
        })
        return changed(deps, caller.orgId, id, set)
      },
      {
        ...withBody,
        params: customerId,
        body: customerChange,
        response: { 200: customer },
        detail: updateCustomer,
      },
    )
    .delete(
      '/customers/:id',
      async ({ caller, params: { id }, request, status }) => {
        await eraseCustomer(actingAs(deps, actorOf(caller)), caller.orgId, id, ifMatchOf(request))
        return status(204, undefined)
      },
      {
        transform: [guard.allow('erase'), noQuery],
        params: customerId,
        response: { 204: t.Undefined() },
        detail: deleteCustomer,
      },
    )
    .put(
      '/customers/external/:externalId',
      async ({ caller, params: { externalId }, body, set, status }) => {
        requireOneWay(body)
        const { id, isNew } = await putCustomer(actingAs(deps, actorOf(caller)), caller.orgId, {
          externalId,
          change: body,
        })
        const answer = await changed(deps, caller.orgId, id, set)
        if (isNew) set.headers.location = `/v1/customers/${id}`
        return status(isNew ? 201 : 200, answer)
      },
      {
        ...withBody,
        params: externalCustomer,
        body: customerInput,
        response: { 200: customer, 201: customer },
        detail: putCustomerDetail,
      },
    )
}

interface PageQuery {
  email?: string | undefined
  externalId?: string | undefined
  q?: string | undefined
  cursor?: string | undefined
  limit: number
}

async function findPage(
  deps: Deps,
  orgId: string,
  { email, externalId, q = '', cursor = '', limit }: PageQuery,
): Promise<{ ids: string[]; nextCursor?: string }> {
  const { read } = deps.database
  // An empty cursor is the first page, as in other lists.
  const page = { q, limit, ...(cursor !== '' && { cursor }) }
  if (email === undefined && externalId === undefined) return findCustomers(deps, orgId, page)
  const byEmail = email === undefined ? undefined : (await ownerOf(read, orgId, email))?.id
  const byExternalId = externalId === undefined ? undefined : await findByExternalId(read, orgId, externalId)
  const isOne = email === undefined || externalId === undefined || byEmail === byExternalId
  const id = isOne ? (byEmail ?? byExternalId) : undefined
  const isShown = id !== undefined && (q.trim() === '' || (await isFound(deps, orgId, { id, q })))
  return { ids: isShown ? [id] : [] }
}

async function* viewedSlices({ database: { read } }: Deps, orgId: string, ids: string[]) {
  for (let start = 0; start < ids.length; start += CUSTOMERS_PER_SLICE) {
    const some = await readShownCustomers(read, orgId, ids.slice(start, start + CUSTOMERS_PER_SLICE))
    yield some.map(viewShownCustomer)
  }
}

async function requireShown({ database: { read } }: Deps, orgId: string, id: string): Promise<ShownCustomer> {
  const [found] = isId('usr', id) ? await readShownCustomers(read, orgId, [id]) : []
  if (!found) throw notFound('customer')
  return found
}

async function changed(
  deps: Deps,
  orgId: string,
  id: string,
  set: { headers: Record<string, string | number> },
) {
  const found = await requireShown(deps, orgId, id)
  set.headers.etag = customerEtag(found)
  return viewShownCustomer(found)
}

function requireOneWay({ email, emails }: CustomerChange): void {
  if (email === undefined || emails === undefined) return
  throw invalid([{ pointer: '/email', code: 'not_allowed', detail: 'Send either email or emails.' }])
}

function ifMatchOf({ headers }: Request): string | undefined {
  return headers.get('if-match') ?? undefined
}

// What the API description says of each operation beyond its schemas.

const tags = ['Customers']
const reading = { tags, security: [{ secretKey: ['customers:read'] }] }
const writing = { tags, security: [{ secretKey: ['customers:write'] }] }
const noCustomer = problem('There’s no customer with this id in your organization.')
const longUrl = problem('The URL is longer than 8,192 characters.')
const text = (description: string) => ({ description, schema: { type: 'string' as const } })
const etag = text('The version of the customer, for `If-None-Match` and `If-Match`.')
const ifMatch = {
  name: 'If-Match',
  in: 'header' as const,
  required: false,
  description: 'Makes the change only if this is the current ETag. Otherwise, the response is 412.',
  schema: { type: 'string' as const },
  example: '"1"',
}
const stale = problem('The customer doesn’t have the ETag in `If-Match`.')
const taken = problem(
  'Another customer has the address (`email_taken`) or the external id (`external_id_taken`), and `id` is theirs; or the customer has tickets by email or API and would have no address (`email_required`).',
)

const listCustomers = {
  ...reading,
  operationId: 'listCustomers',
  summary: 'List customers',
  description:
    'Returns a page of customers, the newest first. Found by `q`, the last changed first. Follow `meta.nextCursor` to read all of them.',
  responses: { 200: { description: 'A page of customers.' }, 414: longUrl },
}

const readCustomer = {
  ...reading,
  operationId: 'readCustomer',
  summary: 'Get a customer',
  description:
    'Returns a customer. For one who was merged into another customer, returns the one who has their tickets now, with another `id`.',
  parameters: [
    {
      name: 'If-None-Match',
      in: 'header' as const,
      required: false,
      description: 'Returns 304 without a body if this is the current ETag.',
      schema: { type: 'string' as const },
      example: '"7"',
    },
  ],
  responses: {
    200: { description: 'The customer.', headers: { ETag: etag } },
    304: { description: 'The customer still has the ETag in `If-None-Match`.', headers: { ETag: etag } },
    404: noCustomer,
  },
}

const updateCustomer = {
  ...writing,
  operationId: 'updateCustomer',
  summary: 'Update a customer',
  description: 'Changes what you know of a customer. All their tickets are soon found by it.',
  parameters: [ifMatch],
  responses: {
    200: { description: 'The customer.', headers: { ETag: etag } },
    404: noCustomer,
    409: taken,
    412: stale,
    ...badTextBody,
  },
}

const putCustomerDetail = {
  ...writing,
  operationId: 'putCustomer',
  summary: 'Create or update a customer by your id',
  description:
    'Changes the customer with this external id. If there is none, gives it to the customer who has the main address and no external id, or creates a customer. Sending the same again changes nothing.',
  responses: {
    200: { description: 'The customer, who was known.', headers: { ETag: etag } },
    201: {
      description: 'The new customer.',
      headers: { ETag: etag, Location: text('The path of the customer.') },
    },
    409: taken,
    ...badTextBody,
  },
}

const deleteCustomer = {
  tags,
  security: [{ secretKey: ['erase'] }],
  operationId: 'deleteCustomer',
  summary: 'Delete a customer',
  description:
    'Permanently deletes a customer, those merged into them, and all their tickets with messages, notes and files. It can’t be undone. Full access isn’t enough: the key needs the scope `erase` by name.',
  parameters: [ifMatch],
  responses: { 204: { description: 'The customer is deleted.' }, 404: noCustomer, 412: stale },
}
