import { Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import type { Metadata } from '../database/tables/customers.ts'
import { AppError, invalid } from '../errors.ts'
import { text, textFault } from '../text/text.ts'

// What other systems keep with a ticket or a customer: their own id, and short texts by key.

/** In code points. */
const MAX_EXTERNAL_ID_LENGTH = 255
const MAX_KEYS = 50
/** As many new ones can take the place of as many that are removed. */
const MAX_CHANGED_KEYS = MAX_KEYS * 2
/** In code points. */
const MAX_KEY_LENGTH = 40
const MAX_VALUE_LENGTH = 500

const KIND = 'Metadata'

/** Changed metadata: a text sets a key, and null removes it. Other keys stay. */
export type MetadataChange = Record<string, string | null>

export const externalId = text({
  maxLength: MAX_EXTERNAL_ID_LENGTH,
  description: 'Its id in your system. Unique in your organization.',
  examples: ['order-4711'],
})

export const externalIdChange = Type.Union([externalId, Type.Null()], {
  description: 'Its id in your system. Unique in your organization. `null` removes it.',
  examples: ['order-4711'],
})

export const metadataKey = text({ maxLength: MAX_KEY_LENGTH })
const valueText = text({ minLength: 0, maxLength: MAX_VALUE_LENGTH })
const tooMany = (most: number) => ({ code: 'too_many', detail: `Must have at most ${most} keys.` })
const words = {
  [Kind]: KIND,
  type: 'object',
  propertyNames: { type: 'string', minLength: 1, maxLength: MAX_KEY_LENGTH },
  examples: [{ plan: 'gold' }],
}

/** Metadata of something new. */
export const newMetadata = Type.Unsafe<Metadata>({
  ...words,
  maxProperties: MAX_KEYS,
  additionalProperties: valueText,
  description: `Up to ${MAX_KEYS} texts of your own, by key.`,
})

export const metadataChange = Type.Unsafe<MetadataChange>({
  ...words,
  maxProperties: MAX_CHANGED_KEYS,
  additionalProperties: Type.Union([valueText, Type.Null()]),
  description: `Sets these keys. \`null\` removes a key. Keys you leave out don’t change. Up to ${MAX_KEYS} keys can be left.`,
})

/** In an answer. */
export const storedMetadata = Type.Record(Type.String(), Type.String(), {
  description: 'Texts of your own, by key. Absent if there are none.',
  examples: [{ plan: 'gold' }],
})

/** What the inbox shows of it. */
export const shownTexts = Type.Array(Type.Object({ key: Type.String(), value: Type.String() }))

/** The metadata after a change; null if nothing is left. Throws 400 for too many keys. */
export function mergeMetadata(before: Metadata | null, change: MetadataChange = {}): Metadata | null {
  const merged = new Map(Object.entries(before ?? {}))
  for (const [key, text] of Object.entries(change)) {
    if (text === null) merged.delete(key)
    else merged.set(key, text)
  }
  if (merged.size > MAX_KEYS) throw invalid([{ pointer: '/metadata', ...tooMany(MAX_KEYS) }])
  // A key may be named as a property that every object has.
  return merged.size === 0 ? null : Object.fromEntries(merged)
}

/** That of two, as far as there is room. The first one's texts are kept. */
export function joinMetadata(one: Metadata | null, other: Metadata | null): Metadata | null {
  if (!one || !other) return one ?? other
  const added = Object.entries(other).filter(([key]) => !Object.hasOwn(one, key))
  return Object.fromEntries([...Object.entries(one), ...added].slice(0, MAX_KEYS))
}

/** The order of the keys doesn't matter. */
export function isSameMetadata(one: Metadata | null, other: Metadata | null): boolean {
  return Bun.deepEquals(one, other)
}

/** A 409 with the id of the ticket or the customer that has the external id. */
export function externalIdTaken(what: 'ticket' | 'customer', id: string): AppError {
  return new AppError(409, 'external_id_taken', `The ${what} ${id} has this external id.`, { id })
}

export function isMetadataKind(schema: TSchema): boolean {
  return schema[Kind] === KIND
}

interface MetadataFault {
  /** Absent when it is about all of the metadata. */
  key?: string
  code: string
  detail: string
}

/** What is wrong with a value for such a schema. Looks at no key when there are too many. */
export function* metadataFaults(schema: TSchema, given: unknown): Generator<MetadataFault, void, void> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return yield { code: 'wrong_type', detail: 'Must be an object.' }
  }
  const entries = Object.entries(given)
  if (entries.length > schema.maxProperties) return yield tooMany(schema.maxProperties)
  for (const [key, value] of entries) {
    const fault = keyFault(key) ?? valueFault(schema, value)
    if (fault) yield { key, ...fault }
  }
}

function keyFault(key: string): { code: string; detail: string } | undefined {
  const fault = textFault(metadataKey, key)
  return fault && { ...fault, detail: `The key: ${fault.detail}` }
}

function valueFault(schema: TSchema, value: unknown): { code: string; detail: string } | undefined {
  const isRemovable = schema.additionalProperties !== valueText
  if (value === null && isRemovable) return undefined
  if (typeof value === 'string') return textFault(valueText, value)
  return { code: 'wrong_type', detail: isRemovable ? 'Must be a string or null.' : 'Must be a string.' }
}

TypeRegistry.Set<TSchema>(KIND, (schema, given) => metadataFaults(schema, given).next().done === true)
