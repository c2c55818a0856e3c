import { type TSchema, Type } from '@sinclair/typebox'

/**
 * One of several words. A union of literals: Elysia's enum would make its first word the default in a PATCH. With a name,
 * clients that are generated from the API description have one type for it.
 */
export function oneOf<const Word extends string>(
  words: readonly Word[],
  description?: string,
  name?: string,
) {
  const literals = words.map((word) => Type.Literal(word))
  const options = {
    ...(name !== undefined && { $id: name }),
    ...(description !== undefined && { description }),
  }
  return Type.Unsafe<Word>(Type.Union(literals, options))
}

/** A named schema with a description for the place where it is used. The API description still refers to it by name. */
export function described<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return { ...schema, descriptionHere: description }
}

export function orNull<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()])
}

/** The `:id` in a path. Any text is accepted: a malformed id is treated like an unknown one. */
export const byId = Type.Object({ id: Type.String() })
