import type { TSchema } from '@sinclair/typebox'
import type { Answer, ApiDescription, Header, Response } from './document.ts'
import type { Declared, SchemaCollection } from './schemas.ts'

/** What a route may add to an answer in `detail.responses`, beside its schema. */
export interface AnswerDetail {
  description?: string
  headers?: Record<string, unknown>
}

/** What a route declares under `response`: one schema, or one for each status. */
export type DeclaredAnswers = Declared | Record<string, Declared>

export const JSON_TYPE = 'application/json'
export const PROBLEM_TYPE = 'application/problem+json'

const MEANINGS: Record<string, string> = {
  200: 'The request succeeded.',
  201: 'The resource was created and is returned.',
  202: 'The request was accepted.',
  204: 'The request succeeded; there is nothing to return.',
  304: 'Not modified since the version named in If-None-Match.',
}
const TYPES_WITHOUT_BODY = ['null', 'void', 'undefined']

/** Every answer of one operation by status: those it declares, and the problems any operation can meet. */
export function describeAnswers(
  declared: DeclaredAnswers | undefined,
  details: Record<string, AnswerDetail>,
  api: ApiDescription,
  collection: SchemaCollection,
): Record<string, Response> {
  const schemas = byStatus(declared)
  const own = new Set([...Object.keys(schemas), ...Object.keys(details)])
  if (![...own].some((status) => Number(status) < 400)) own.add('200')
  const answers: Record<string, Response> = {}
  for (const status of Object.keys(api.problems)) {
    if (!own.has(status)) answers[status] = { $ref: `#/components/responses/${problemName(status)}` }
  }
  for (const status of own) {
    answers[status] = describeAnswer(status, schemas[status], details[status], api, collection)
  }
  return answers
}

/** The problems any operation can meet, for `components.responses`. */
export function describeProblems(
  api: ApiDescription,
  collection: SchemaCollection,
): Record<string, Response> {
  const problems = Object.keys(api.problems).map((status) => [
    problemName(status),
    describeAnswer(status, undefined, undefined, api, collection),
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

function describeAnswer(
  status: string,
  declared: Declared | undefined,
  detail: AnswerDetail | undefined,
  api: ApiDescription,
  collection: SchemaCollection,
): Response {
  const isProblem = Number(status) >= 400
  const known: Answer | undefined = api.problems[Number(status)]
  const description = detail?.description ?? known?.description ?? MEANINGS[status]
  if (!description) throw new Error(`Say in detail.responses[${status}].description what ${status} means`)
  const body = declared ?? (isProblem ? api.problem : undefined)
  const hasBody = body !== undefined && !(typeof body === 'object' && TYPES_WITHOUT_BODY.includes(body.type))
  const shared = Object.keys(api.answerHeaders).map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ])
  return {
    description,
    headers: {
      ...Object.fromEntries(shared),
      ...describeHeaders(known?.headers ?? {}, collection),
      ...detail?.headers,
    },
    ...(hasBody && {
      content: { [isProblem ? PROBLEM_TYPE : JSON_TYPE]: { schema: collection.describe(body) } },
    }),
  }
}

function byStatus(declared: DeclaredAnswers | undefined): Record<string, Declared> {
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
