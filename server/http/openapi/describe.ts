import type { TSchema } from '@sinclair/typebox'
import { type DeclaredRoute, describeOperation } from './describe-operation.ts'
import type { ApiDescription, OpenApiDocument, Operation, Parameter, Webhook } from './document.ts'
import { describeHeaders, describeProblems, JSON_TYPE } from './responses.ts'
import { collectSchemas, type SchemaCollection } from './schemas.ts'

const WEBHOOK_TAG = 'Webhooks'
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Describes the routes below `api.prefix` as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1).
 * `origin` is that of this installation, such as `https://help.example.com`. `models` are the app's named schemas. Only those in use are published.
 */
export function describeApi(
  routes: DeclaredRoute[],
  models: Record<string, TSchema>,
  api: ApiDescription,
  origin: string,
): OpenApiDocument {
  const collection = collectSchemas(models)
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    if (!isPublic(route, api.prefix)) continue
    const { path, operation } = describeOperation(route, api, collection)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation }
  }
  const webhooks = Object.fromEntries(
    Object.entries(api.webhooks).map(([event, hook]) => [
      event,
      describeWebhook(event, hook, api, collection),
    ]),
  )
  const headers = describeHeaders(api.responseHeaders, collection)
  const responses = describeProblems(api, collection)
  return {
    openapi: '3.1.1',
    info: {
      title: api.title,
      version: api.version,
      description: api.description,
      license: { name: api.license, identifier: api.license },
    },
    servers: [{ url: origin + api.prefix, description: 'This installation' }],
    security: Object.keys(api.securitySchemes).map((name) => ({ [name]: [] })),
    tags: api.tags,
    paths,
    webhooks,
    components: { schemas: collection.schemas, headers, responses, securitySchemes: api.securitySchemes },
  }
}

function isPublic(route: DeclaredRoute, prefix: string): boolean {
  const isBelow = route.path === prefix || route.path.startsWith(`${prefix}/`)
  return isBelow && METHODS.includes(route.method) && route.hooks.detail?.hide !== true
}

/** Describes an event as the request that a receiver gets. */
function describeWebhook(
  event: string,
  webhook: Webhook,
  api: ApiDescription,
  collection: SchemaCollection,
): { post: Operation } {
  const headers = Object.entries(describeHeaders(webhook.headers, collection))
  const parameters = headers.map(
    ([name, header]): Parameter => ({ name, in: 'header', required: true, schema: {}, ...header }),
  )
  const responses = Object.entries(api.webhookResponses).map(([status, description]) => [
    status,
    { description },
  ])
  const words = event.split('.').map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return {
    post: {
      operationId: `on${words.join('')}`,
      summary: webhook.summary,
      description: webhook.description,
      tags: [WEBHOOK_TAG],
      security: [],
      parameters,
      requestBody: {
        required: true,
        content: { [JSON_TYPE]: { schema: collection.describe(webhook.schema) } },
      },
      responses: Object.fromEntries(responses),
    },
  }
}
