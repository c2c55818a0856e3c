import { Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'

interface TextOptions {
  /** Characters as JSON Schema counts them: Unicode code points, so that an emoji is one. With 0 it may be blank. */
  minLength?: number
  maxLength: number
  format?: string
  description?: string
  examples?: string[]
}

const KIND = 'Text'
/** Something to see: neither space nor a sign that only works on others, as the zero-width ones do. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u

/** Text that a person wrote: not blank, its length counted in code points and not in UTF-16 units. */
export function text(options: TextOptions) {
  return Type.Unsafe<string>({ [Kind]: KIND, type: 'string', minLength: 1, pattern: '\\S', ...options })
}

/** What is wrong with a value that should be such text; undefined when nothing is. */
export function textFault(schema: TSchema, value: unknown): { code: string; detail: string } | undefined {
  const { minLength = 1, maxLength } = schema
  if (typeof value !== 'string') return { code: 'wrong_type', detail: 'Must be a string.' }
  if (value.length < minLength) return { code: 'too_short', detail: 'Needs at least 1 character.' }
  if (value.length > maxLength && lengthOf(value) > maxLength) {
    return { code: 'too_long', detail: `Takes at most ${maxLength} characters.` }
  }
  return minLength === 0 || !isBlank(value) ? undefined : { code: 'blank', detail: 'Must not be blank.' }
}

/** Whether a text shows nothing. Within text that shows something invisible signs have their use: they join emoji. */
export function isBlank(value: string): boolean {
  return !VISIBLE.test(value)
}

export function isTextKind(schema: TSchema): boolean {
  return schema[Kind] === KIND
}

/** Code points: as people count letters, and emoji. */
export function lengthOf(value: string): number {
  let count = 0
  for (const _ of value) count += 1
  return count
}

TypeRegistry.Set<TSchema>(KIND, (schema, value) => textFault(schema, value) === undefined)
