import { type AnyElysia, type TSchema, t } from 'elysia'

/**
 * Stops Elysia from checking our own responses against their schemas at run time. TypeScript checks their types and the
 * tests check every response, while in production the checks take a third of the time of reading a ticket. Call this
 * before the first request, because routes are compiled then. Applies to the whole process. Throws when a route would
 * check requests with a response schema.
 */
export function trustResponses({ routes }: Pick<AnyElysia, 'routes'>): void {
  for (const { hooks } of routes)
    for (const schema of Object.values<TSchema>(hooks.response ?? {})) t.NoValidate(schema)
  for (const { method, path, hooks } of routes) {
    for (const schema of [hooks.body, hooks.query, hooks.params, hooks.headers]) {
      if (schema?.noValidate)
        throw new Error(`${method} ${path} checks requests with a schema of a response.`)
    }
  }
}
