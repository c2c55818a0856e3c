import type { TSchema } from '@sinclair/typebox'
import { type DeclaredRoute, describeOperation } from './describe-operation.ts'
import { describeWebhook } from './describe-webhook.ts'
import type { ApiDescription, OpenApiDocument } from './document.ts'
import { describeHeaders, describeProblems } from './responses.ts'
import { collectSchemas } from './schemas.ts'

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
