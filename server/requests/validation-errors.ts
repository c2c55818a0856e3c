import {
  FormatRegistry,
  Kind,
  KindGuard,
  OptionalKind,
  type TArray,
  type TObject,
  type TRecord,
  type TSchema,
} from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { Errors, type ValueError, ValueErrorType } from '@sinclair/typebox/errors'
import { isCalendarDay } from '../dates.ts'
import { type Fault, MAX_FAULTS } from '../errors.ts'
import { isTextKind, textFault } from '../text/text.ts'
import { isMetadataKind, metadataFaults } from './metadata.ts'

/** Where the value is. Decides whether a fault has a JSON pointer or a parameter name. */
type Place = 'body' | 'query'

/** Longer names of fields are cut: an unknown one is as long as its sender wants. */
const MAX_NAME_LENGTH = 200

/** Without an offset, a time would depend on the server's time zone. `Date.parse` reads hour 24 as the next midnight. */
const WITH_OFFSET = /^\d{4}-\d\d-\d\d[t ](?!24)\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)$/i
const NO_DATE_TIME =
  'Must be a time that exists, with Z or an offset, such as 2026-03-01T09:30:00Z or 2026-03-01T09:30:00+01:00.'

/** What schemas with this format accept, `Date.parse` reads. */
FormatRegistry.Set(
  'date-time',
  (text) => WITH_OFFSET.test(text) && Number.isFinite(Date.parse(text)) && isCalendarDay(text.slice(0, 10)),
)

/** Whether values match a schema. It is compiled at the first value, to keep the start short. */
export function createCheck(schema: TSchema): (value: unknown) => boolean {
  let compiled: TypeCheck<TSchema> | undefined
  return (value) => {
    compiled ??= TypeCompiler.Compile(schema)
    return compiled.Check(value)
  }
}

/**
 * Describes the invalid fields of a value that its schema refuses, each with its first fault. Stops when there are more
 * than are reported, and looks no further into a list or a text that is too long, so that it takes no longer for a value
 * made to be slow than for a valid one.
 */
export function faultsOf(schema: TSchema, value: unknown, place: Place): Fault[] {
  const faults: Fault[] = []
  for (const { path, code, detail } of visit(schema, value, '', place)) {
    const where = place === 'body' ? { pointer: path } : { parameter: path.slice(1) }
    faults.push({ ...where, code, detail })
    if (faults.length > MAX_FAULTS) break
  }
  return faults
}

interface Found {
  path: string
  code: string
  detail: string
}

function* visit(schema: TSchema, value: unknown, path: string, place: Place): Generator<Found, void, void> {
  if (KindGuard.IsObject(schema)) yield* visitObject(schema, value, path, place)
  else if (KindGuard.IsArray(schema)) yield* visitArray(schema, value, path, place)
  else if (KindGuard.IsRecord(schema)) yield* visitRecord(schema, value, path, place)
  else if (isMetadataKind(schema)) yield* visitMetadata(schema, value, path)
  else if (typeof value === 'string' && value.length > (schema.maxLength ?? Number.POSITIVE_INFINITY) * 2) {
    // Also too long in code points, which needn't be counted.
    yield { path, code: 'too_long', detail: tooLong(schema) }
  } else {
    const error = Errors(schema, value).First()
    if (error) yield { path, ...describe(error) }
  }
}

function* visitObject(
  schema: TObject,
  value: unknown,
  path: string,
  place: Place,
): Generator<Found, void, void> {
  if (!isObject(value)) return yield { path, ...wrongType(schema) }
  const { properties, required = [] } = schema
  for (const name of required) {
    if (!Object.hasOwn(value, name)) yield { path: pointerInside(path, name), ...REQUIRED }
  }
  if (schema.additionalProperties === false) {
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(properties, name)) yield { path: pointerInside(path, name), ...unknownField(place) }
    }
  }
  for (const [name, property] of Object.entries(properties)) {
    if (Object.hasOwn(value, name)) yield* visit(property, value[name], pointerInside(path, name), place)
  }
}

function* visitArray(
  schema: TArray,
  value: unknown,
  path: string,
  place: Place,
): Generator<Found, void, void> {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema
  if (!Array.isArray(value)) return yield { path, ...wrongType(schema) }
  if (value.length > maxItems) {
    return yield { path, code: 'too_many', detail: `Must have at most ${maxItems} entries.` }
  }
  if (value.length < minItems) {
    const least = counted(minItems, 'entry', 'entries')
    yield { path, code: 'too_few', detail: `Must have at least ${least}.` }
  }
  for (const [index, item] of value.entries()) yield* visit(items, item, `${path}/${index}`, place)
}

function* visitRecord(
  schema: TRecord,
  value: unknown,
  path: string,
  place: Place,
): Generator<Found, void, void> {
  if (!isObject(value)) return yield { path, ...wrongType(schema) }
  const { maxProperties = Number.POSITIVE_INFINITY } = schema
  const names = Object.keys(value)
  if (names.length > maxProperties) {
    const most = counted(maxProperties, 'field')
    return yield { path, code: 'too_many', detail: `Must have at most ${most}.` }
  }
  const [entry] = Object.values(schema.patternProperties)
  if (!entry) return
  for (const name of names) yield* visit(entry, value[name], pointerInside(path, name), place)
}

function* visitMetadata(schema: TSchema, value: unknown, path: string): Generator<Found, void, void> {
  for (const { key, ...fault } of metadataFaults(schema, value)) {
    yield { path: key === undefined ? path : pointerInside(path, key), ...fault }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The pointer to a field of what `path` points to (RFC 6901, section 3). */
export function pointerInside(path: string, name: string): string {
  const cut = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name
  return `${path}/${cut.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

const REQUIRED = { code: 'required', detail: 'This field is required.' }

function unknownField(place: Place): { code: string; detail: string } {
  return place === 'body'
    ? { code: 'unknown_field', detail: 'Unknown field.' }
    : { code: 'unknown_parameter', detail: 'Unknown parameter.' }
}

function wrongType(schema: TSchema): { code: string; detail: string } {
  return { code: 'wrong_type', detail: `Must be ${typeName(schema)}.` }
}

function tooLong(schema: TSchema): string {
  return `Must be at most ${counted(schema.maxLength, 'character')}.`
}

/** Of a value that is neither an object nor a list. */
function describe({ type, schema, value }: ValueError): { code: string; detail: string } {
  const fault = isTextKind(schema) && type === ValueErrorType.Kind ? textFault(schema, value) : undefined
  if (fault) return fault
  switch (type) {
    case ValueErrorType.StringMinLength:
      return { code: 'too_short', detail: `Must have at least ${counted(schema.minLength, 'character')}.` }
    case ValueErrorType.StringMaxLength:
      return { code: 'too_long', detail: tooLong(schema) }
    case ValueErrorType.StringPattern:
      return { code: 'blank', detail: 'Must not be blank.' }
    case ValueErrorType.StringFormat:
      return { code: 'invalid_format', detail: formatDetail(schema) }
    case ValueErrorType.Literal:
      return { code: 'not_allowed', detail: `Must be ${schema.const}.` }
    case ValueErrorType.Union:
      return unionFault(schema, value)
    default:
      return schema.type === 'integer'
        ? { code: 'not_whole_number', detail: wholeNumberDetail(schema) }
        : wrongType(schema)
  }
}

function unionFault(schema: TSchema, value: unknown): { code: string; detail: string } {
  const branches: TSchema[] = schema.anyOf ?? []
  const text = typeof value === 'string' ? branches.find(isTextKind) : undefined
  const fault = text && textFault(text, value)
  if (fault) return fault
  const formatted = typeof value === 'string' ? branches.find(({ format }) => format) : undefined
  if (formatted) return { code: 'invalid_format', detail: formatDetail(formatted) }
  const words = branches.map((branch) => branch.const).filter((word) => typeof word === 'string')
  if (words.length > 0 && words.length === branches.length) {
    return { code: 'not_allowed', detail: `Must be one of: ${words.join(', ')}.` }
  }
  const integer = branches.find((branch) => branch.type === 'integer')
  if (integer) return { code: 'not_whole_number', detail: wholeNumberDetail(integer) }
  const range = typeof value === 'number' ? branches.find(isRange) : undefined
  if (range) return { code: 'not_allowed', detail: `Must be from ${range.minimum} to ${range.maximum}.` }
  return { code: 'wrong_type', detail: `Must be ${branches.map(typeName).join(' or ')}.` }
}

function isRange({ minimum, maximum }: TSchema): boolean {
  return minimum !== undefined && maximum !== undefined
}

export function wholeNumberDetail(schema: TSchema): string {
  const { minimum, maximum } = schema
  if (minimum === undefined) return 'Must be a whole number.'
  return maximum === undefined
    ? `Must be a whole number, ${minimum} or more.`
    : `Must be a whole number from ${minimum} to ${maximum}.`
}

function formatDetail(schema: TSchema): string {
  if (schema.format === 'date-time') return NO_DATE_TIME
  return schema.format === 'email' ? 'Must be an email address.' : `Must have the format "${schema.format}".`
}

function typeName(schema: TSchema): string {
  const name = schema.type ?? schema[Kind] ?? schema[OptionalKind] ?? 'another type'
  if (name === 'null') return 'null'
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`
}

function counted(amount: number, one: string, many = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`
}
