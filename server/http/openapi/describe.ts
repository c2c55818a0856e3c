import { type TSchema, TypeGuard } from '@sinclair/typebox'
import { API } from '../api-description.ts'
import { type DeclaredRoute, describeOperation } from './describe-operation.ts'
import type { OpenApiDocument, Operation, Parameter } from './document.ts'
import { describeHeaders, describeProblems, JSON_TYPE, responseSchemas } from './responses.ts'
import { collectSchemas, type SchemaCollection } from './schemas.ts'

const WEBHOOK_TAG = 'Webhooks'
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Describes the routes of `/v1` as an OpenAPI 3.1 document (https://spec.openapis.org/oas/v3.1.1).
 * `origin` is that of this installation, such as `https://help.example.com`. `models` are the app's named schemas. Only those in use are published.
 */
export function describeApi(
  routes: DeclaredRoute[],
  models: Record<string, TSchema>,
  origin: string,
): OpenApiDocument {
  const declared = new Set(routes.flatMap(({ hooks }) => responseSchemas(hooks.response)))
  const collection = collectSchemas(models, declared)
  const paths: OpenApiDocument['paths'] = {}
  for (const route of routes) {
    if (!isPublic(route)) continue
    const { path, operation } = describeOperation(route, collection)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation }
  }
  const webhooks = Object.fromEntries(
    Object.entries(API.webhooks).map(([event, hook]) => [event, describeWebhook(event, hook, collection)]),
  )
  const headers = describeHeaders(API.responseHeaders, collection)
  const responses = describeProblems(collection)
  return {
    openapi: '3.1.1',
    info: {
      title: API.title,
      version: API.version,
      description: API.description,
      license: { name: API.license, identifier: API.license },
    },
    servers: [{ url: origin + API.prefix, description: 'This installation' }],
    security: Object.keys(API.securitySchemes).map((name) => ({ [name]: [] })),
    tags: API.tags,
    paths,
    webhooks,
    components: { schemas: collection.schemas, headers, responses, securitySchemes: API.securitySchemes },
  }
}

function isPublic(route: DeclaredRoute): boolean {
  const isBelow = route.path === API.prefix || route.path.startsWith(`${API.prefix}/`)
  return isBelow && METHODS.includes(route.method) && route.hooks.detail?.hide !== true
}

/** Describes an event as the request that a receiver gets. */
function describeWebhook(
  event: string,
  webhook: (typeof API.webhooks)[keyof typeof API.webhooks],
  collection: SchemaCollection,
): { post: Operation } {
  const headers = Object.entries(describeHeaders(webhook.headers, collection))
  const optional = new Set(
    Object.entries(webhook.headers).flatMap(([name, schema]) => (TypeGuard.IsOptional(schema) ? [name] : [])),
  )
  const parameters = headers.map(
    ([name, header]): Parameter => ({
      name,
      in: 'header',
      required: !optional.has(name),
      schema: {},
      ...header,
    }),
  )
  const responses = Object.entries(API.webhookResponses).map(([status, description]) => [
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
