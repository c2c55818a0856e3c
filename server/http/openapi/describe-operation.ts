import { generateOperationId, mapProperties, toOpenAPIPath } from '@elysiajs/swagger/utils'
import { API } from '../api-description.ts'
import type { Operation, Parameter } from './document.ts'
import { type DeclaredResponses, describeResponses, JSON_TYPE, type ResponseDetail } from './responses.ts'
import type { Declared, SchemaCollection } from './schemas.ts'

/** What a route declares: the schemas that validate it, and its description in `detail`. */
interface RouteSchemas {
  body?: Declared
  params?: Declared
  query?: Declared
  headers?: Declared
  response?: DeclaredResponses
  detail?: Partial<Omit<Operation, 'responses' | 'parameters'>> & {
    hide?: boolean
    responses?: Record<string, ResponseDetail>
    /** A body that the route reads itself, in parts. */
    body?: Declared
    /** Headers that the route reads itself. */
    parameters?: Parameter[]
  }
}

/** The parts of an Elysia route that a document needs. */
export interface DeclaredRoute {
  method: string
  path: string
  hooks: RouteSchemas
}

/** OpenAPI ignores these as parameters. */
const NOT_PARAMETERS = ['accept', 'content-type', 'authorization']

/**
 * Describes one route. Paths, names, and parameters come from @elysiajs/swagger. Its bodies and responses aren't valid
 * OpenAPI (schema keywords in the response, no `description`, three media types), so they are described here.
 */
export function describeOperation(
  route: DeclaredRoute,
  collection: SchemaCollection,
): { path: string; operation: Operation } {
  const path = toOpenAPIPath(route.path).slice(API.prefix.length).replace(/\/$/, '') || '/'
  const { hooks } = route
  const { hide: _, responses = {}, parameters = [], body = hooks.body, ...words } = hooks.detail ?? {}
  const operation: Operation = {
    operationId: generateOperationId(route.method, path),
    ...words,
    ...scopeOf(words.security),
    parameters: [
      ...describeParameters('path', hooks.params, collection),
      ...describeParameters('query', hooks.query, collection),
      ...describeParameters('header', hooks.headers, collection),
      ...parameters,
    ],
    responses: describeResponses(hooks.response, responses, collection),
  }
  if (body !== undefined) {
    const schema = collection.describe(body)
    const [example] = typeof body === 'string' ? [] : (body.examples ?? [])
    operation.requestBody = {
      required: true,
      // Postman takes the example only from here.
      content: { [JSON_TYPE]: { schema, ...(example !== undefined && { example }) } },
    }
  }
  nameMissingPathParameters(path, operation)
  return { path, operation }
}

/** The scope that a key needs, where generators of clients and readers look for it without knowing our security scheme. */
function scopeOf(security: Operation['security']): { 'x-scope'?: string } {
  const scope = security?.flatMap(({ secretKey = [] }) => secretKey)[0]
  return scope === undefined ? {} : { 'x-scope': scope }
}

function describeParameters(
  location: Parameter['in'],
  declared: Declared | undefined,
  collection: SchemaCollection,
): Parameter[] {
  const parameters = mapProperties(location, declared, collection.models)
  return parameters
    .filter((parameter) => !NOT_PARAMETERS.includes(parameter.name.toLowerCase()))
    .map(({ name, required, description, examples, schema }) => {
      const words = schema.descriptionHere ?? description
      const { description: _, ...described } = collection.describe({ ...schema, description, examples })
      return {
        name,
        in: location,
        required: location === 'path' || required,
        description: words,
        schema: described,
      }
    })
}

function nameMissingPathParameters(path: string, operation: Operation): void {
  const described = operation.parameters ?? []
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    if (described.some((parameter) => parameter.in === 'path' && parameter.name === name)) continue
    described.unshift({ name, in: 'path', required: true, schema: { type: 'string' } })
  }
  operation.parameters = described
}
