import { type AnyElysia, type TSchema, t } from 'elysia'

/**
 * Stops Elysia from checking our own responses against their schemas at run time. TypeScript checks their types and the
 * tests check every response, while in production the checks take a third of the time of reading a ticket. Call this
 * before the first request, because routes are compiled then. Applies to the whole process.
 */
export function trustResponses({ routes }: Pick<AnyElysia, 'routes'>): void {
  for (const { hooks } of routes)
    for (const schema of Object.values<TSchema>(hooks.response ?? {})) t.NoValidate(schema)
}
