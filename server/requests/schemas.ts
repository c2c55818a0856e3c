import { type TSchema, Type } from '@sinclair/typebox'

/** One of several words. A union of literals: Elysia's enum would make its first word the default in a PATCH. */
export function oneOf<const Word extends string>(words: readonly Word[], description?: string) {
  const literals = words.map((word) => Type.Literal(word))
  return Type.Unsafe<Word>(Type.Union(literals, description === undefined ? {} : { description }))
}

export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

/** The `:id` in a path. Any text is accepted: a malformed id is treated like an unknown one. */
export const byId = Type.Object({ id: Type.String() })
