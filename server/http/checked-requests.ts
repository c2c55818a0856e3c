import { Kind, type TSchema } from '@sinclair/typebox'
import { type AnyElysia, t } from 'elysia'
import { invalid } from '../errors.ts'
import { type Arriving, refused } from '../requests/arriving-bodies.ts'
import { createCheck, faultsOf } from '../requests/validation-errors.ts'

/**
 * Checks the body and the path of every route with its schema. Replaces Elysia's own check, whose error prints the whole
 * value: a refused body would hold the event loop for much longer than a valid one. Call this before the first request,
 * because routes are compiled then. Throws when a route would check responses with the schema of a request.
 */
export function checkRequests({ routes }: Pick<AnyElysia, 'routes'>): void {
  for (const { hooks } of routes) {
    const { body, params } = hooks
    // The hooks of a route run in this order, so the body is checked after `jsonBody` has read it.
    hooks.transform = [
      ...(hooks.transform ?? []),
      ...(isSchema(params) ? [{ fn: checkPath(params) }] : []),
      ...(isSchema(body) ? [{ fn: checkBody(body) }] : []),
    ]
  }
  for (const { method, path, hooks } of routes) {
    for (const schema of Object.values(hooks.response ?? {})) {
      if (isSchema(schema) && schema.noValidate)
        throw new Error(`${method} ${path} checks responses with a schema of a request.`)
    }
  }
}

function isSchema(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null && Kind in value
}

// Elysia reads what a hook uses from its source: for one that takes the whole context, it would parse cookies and more.

function checkBody(schema: TSchema): (context: Arriving & { body: unknown }) => void {
  const isValid = checkOf(schema)
  return ({ body, request, server, set, caller, me, address }) => {
    if (isValid(body)) return
    throw refused({ request, server, set, caller, me, address }, invalid(faultsOf(schema, body, 'body')))
  }
}

function checkPath(schema: TSchema): (context: { params: unknown }) => void {
  const isValid = checkOf(schema)
  return ({ params }) => {
    if (!isValid(params)) throw invalid(faultsOf(schema, params, 'query'))
  }
}

function checkOf(schema: TSchema): (value: unknown) => boolean {
  t.NoValidate(schema)
  return createCheck(schema)
}

/**
 * Stops Elysia from checking our own responses against their schemas at run time. TypeScript checks their types and the
 * tests check every response, while in production the checks take a third of the time of reading a ticket. Call this
 * before the first request, because routes are compiled then. Applies to the whole process.
 */
export function trustResponses({ routes }: Pick<AnyElysia, 'routes'>): void {
  for (const { hooks } of routes)
    for (const schema of Object.values<TSchema>(hooks.response ?? {})) t.NoValidate(schema)
}
