import type { TSchema } from '@sinclair/typebox'
import { API } from '../api-description.ts'
import type { Header, Response } from './document.ts'
import type { Declared, SchemaCollection } from './schemas.ts'

/** What a route can add to a response in `detail.responses`. */
export interface ResponseDetail {
  description?: string
  headers?: Record<string, unknown>
  /** For a body that is not JSON. */
  content?: Response['content']
}

/** What a route declares in `response`: one schema, or one per status. */
export type DeclaredResponses = Declared | Record<string, Declared>

export const JSON_TYPE = 'application/json'
export const PROBLEM_TYPE = 'application/problem+json'

const MEANINGS: Record<string, string> = {
  200: 'The request succeeded.',
  201: 'The resource was created.',
  202: 'The request was accepted.',
  204: 'The request succeeded. There is no content.',
  304: 'Not modified since the version in If-None-Match.',
}
const TYPES_WITHOUT_BODY = ['null', 'void', 'undefined']

/** Describes every response of an operation by status: those it declares, and the problems common to all. */
export function describeResponses(
  declared: DeclaredResponses | undefined,
  details: Record<string, ResponseDetail>,
  collection: SchemaCollection,
): Record<string, Response> {
  const schemas = byStatus(declared)
  const own = new Set([...Object.keys(schemas), ...Object.keys(details)])
  if (![...own].some((status) => Number(status) < 400)) own.add('200')
  const described: Record<string, Response> = {}
  for (const status of Object.keys(API.problems)) {
    if (!own.has(status)) described[status] = { $ref: `#/components/responses/${problemName(status)}` }
  }
  for (const status of own) {
    described[status] = describeResponse(status, schemas[status], details[status], collection)
  }
  return described
}

/** Describes the problems common to all operations, for `components.responses`. */
export function describeProblems(collection: SchemaCollection): Record<string, Response> {
  const problems = Object.keys(API.problems).map((status) => [
    problemName(status),
    describeResponse(status, undefined, undefined, collection),
  ])
  return Object.fromEntries(problems)
}

export function describeHeaders(
  headers: Record<string, TSchema>,
  collection: SchemaCollection,
): Record<string, Header> {
  const described = Object.entries(headers).map(([name, declared]) => {
    const { description, ...schema } = collection.describe(declared)
    return [name, { description, schema }]
  })
  return Object.fromEntries(described)
}

function describeResponse(
  status: string,
  declared: Declared | undefined,
  detail: ResponseDetail | undefined,
  collection: SchemaCollection,
): Response {
  const isProblem = Number(status) >= 400
  const common = API.problems[status]
  const description = detail?.description ?? common?.description ?? MEANINGS[status]
  if (!description) throw new Error(`Add detail.responses[${status}].description`)
  const body = declared ?? (isProblem ? API.problem : undefined)
  const hasBody = body !== undefined && !(typeof body === 'object' && TYPES_WITHOUT_BODY.includes(body.type))
  const shared = Object.keys(API.responseHeaders).map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ])
  return {
    description,
    headers: {
      ...Object.fromEntries(shared),
      ...describeHeaders(common?.headers ?? {}, collection),
      ...detail?.headers,
    },
    ...(hasBody && {
      content: { [isProblem ? PROBLEM_TYPE : JSON_TYPE]: { schema: collection.describe(body) } },
    }),
    ...(detail?.content && { content: detail.content }),
  }
}

/** The schemas of a route's responses, as it declares them. */
export function responseSchemas(declared: DeclaredResponses | undefined): Declared[] {
  return Object.values(byStatus(declared))
}

function byStatus(declared: DeclaredResponses | undefined): Record<string, Declared> {
  if (declared === undefined) return {}
  if (typeof declared === 'string' || !isStatusMap(declared)) return { 200: declared }
  return declared
}

function isStatusMap(declared: object): declared is Record<string, Declared> {
  return Object.keys(declared).every((key) => /^\d{3}$/.test(key))
}

function problemName(status: string): string {
  return `Problem${status}`
}
