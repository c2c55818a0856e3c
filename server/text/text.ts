import { Kind, type TSchema, Type, TypeRegistry } from '@sinclair/typebox'
import { withoutDirectionControls } from './direction-controls.ts'

interface TextOptions {
  /** Unicode code points, as JSON Schema counts them. With 0, the text can be blank. */
  minLength?: number
  maxLength: number
  format?: string
  description?: string
  examples?: string[]
}

const KIND = 'Text'
/** A visible character: not whitespace, and not zero-width or another invisible character. */
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}]/u

/** Text written by a person: not blank, with its length in code points instead of UTF-16 units. */
export function text(options: TextOptions) {
  const notBlank = options.minLength === 0 ? {} : { minLength: 1, pattern: '\\S' }
  return Type.Unsafe<string>({ [Kind]: KIND, type: 'string', ...notBlank, ...options })
}

/** Returns what is wrong with a value for such a schema, or undefined if it is valid. */
export function textFault(schema: TSchema, value: unknown): { code: string; detail: string } | undefined {
  const { minLength = 1, maxLength } = schema
  if (typeof value !== 'string') return { code: 'wrong_type', detail: 'Must be a string.' }
  if (value.length < minLength) return { code: 'too_short', detail: 'Must have at least 1 character.' }
  // No code point takes more than two units.
  if (value.length > maxLength * 2 || (value.length > maxLength && lengthOf(value) > maxLength)) {
    return { code: 'too_long', detail: `Must be at most ${maxLength} characters.` }
  }
  return minLength === 0 || !isBlank(value) ? undefined : { code: 'blank', detail: 'Must not be blank.' }
}

/** Whether a text has no visible character. Invisible characters are allowed within visible text, such as in emoji. */
export function isBlank(value: string): boolean {
  return !VISIBLE.test(value)
}

/** A line that someone typed or pasted: each run of blanks and control characters is one space, and nothing turns its direction. */
export function oneLine(text: string): string {
  return withoutDirectionControls(text)
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}\ufeff]+/gu, ' ')
    .trim()
}

/** Several lines that someone typed or pasted: they end with a line feed, and no control character but the tab is left. */
export function cleanLines(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(/(?![\t\n])\p{Cc}/gu, '')
}

/** The first `maxLength` code points. If something is left out, the last of them is an ellipsis. */
export function cut(text: string, maxLength: number): string {
  return lengthOf(text) <= maxLength ? text : `${[...text].slice(0, maxLength - 1).join('')}…`
}

export function isTextKind(schema: TSchema): boolean {
  return schema[Kind] === KIND
}

/** The number of code points. */
export function lengthOf(value: string): number {
  let count = 0
  for (const _ of value) count += 1
  return count
}

TypeRegistry.Set<TSchema>(KIND, (schema, value) => textFault(schema, value) === undefined)
