import { generateOperationId, mapProperties, toOpenAPIPath } from '@elysiajs/swagger/utils'
import { type AnswerDetail, type DeclaredAnswers, describeAnswers, JSON_TYPE } from './answers.ts'
import type { ApiDescription, Operation, Parameter } from './document.ts'
import type { Declared, SchemaCollection } from './schemas.ts'

/** What a route declares: the schemas that validate it, and words about it in `detail`. */
export interface RouteSchemas {
  body?: Declared
  params?: Declared
  query?: Declared
  headers?: Declared
  response?: DeclaredAnswers
  detail?: Partial<Omit<Operation, 'responses' | 'parameters'>> & {
    hide?: boolean
    responses?: Record<string, AnswerDetail>
    /** Headers that the route reads by hand. */
    parameters?: Parameter[]
  }
}

/** A route as far as a document needs it; Elysia's own routes fit. */
export interface DeclaredRoute {
  method: string
  path: string
  hooks: RouteSchemas
}

/** OpenAPI describes these elsewhere and ignores them as parameters. */
const NOT_PARAMETERS = ['accept', 'content-type', 'authorization']

/**
 * Describes one route. Paths, names and parameters are taken from @elysiajs/swagger; its bodies and answers are not valid
 * OpenAPI (schema keywords spill into the response, `description` is missing, three media types are claimed), so
 * those are described here, from the same declarations.
 */
export function describeOperation(
  route: DeclaredRoute,
  api: ApiDescription,
  collection: SchemaCollection,
): { path: string; operation: Operation } {
  const path = toOpenAPIPath(route.path).slice(api.prefix.length).replace(/\/$/, '') || '/'
  const { hooks } = route
  const { hide: _, responses = {}, parameters = [], ...words } = hooks.detail ?? {}
  const operation: Operation = {
    operationId: generateOperationId(route.method, path),
    ...words,
    parameters: [
      ...describeParameters('path', hooks.params, collection),
      ...describeParameters('query', hooks.query, collection),
      ...describeParameters('header', hooks.headers, collection),
      ...parameters,
    ],
    responses: describeAnswers(hooks.response, responses, api, collection),
  }
  if (hooks.body !== undefined) {
    operation.requestBody = {
      required: true,
      content: { [JSON_TYPE]: { schema: collection.describe(hooks.body) } },
    }
  }
  nameMissingPathParameters(path, operation)
  return { path, operation }
}

function describeParameters(
  place: Parameter['in'],
  declared: Declared | undefined,
  collection: SchemaCollection,
): Parameter[] {
  const parameters = mapProperties(place, declared, collection.models)
  return parameters
    .filter((parameter) => !NOT_PARAMETERS.includes(parameter.name.toLowerCase()))
    .map(({ name, required, description, examples, schema }) => {
      const { description: _, ...described } = collection.describe({ ...schema, examples })
      return { name, in: place, required: place === 'path' || required, description, schema: described }
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
