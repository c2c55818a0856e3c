import { Kind, OptionalKind, type TSchema } from '@sinclair/typebox'
import { type ValueError, ValueErrorType } from '@sinclair/typebox/value'
import type { Fault } from '../errors.ts'
import { isTextKind, textFault } from './text.ts'

/** Where the value is. Decides whether a fault has a JSON pointer or a parameter name. */
type Place = 'body' | 'query'

type Described = Pick<ValueError, 'type' | 'path' | 'schema'> & { value?: unknown }

/** Describes every invalid field of a value, with the first fault of each. */
export function faultsOf(errors: Iterable<Described>, place: Place): Fault[] {
  const faults = new Map<string, Fault>()
  for (const error of errors) {
    if (faults.has(error.path) || isInside(error.path, faults)) continue
    const where = place === 'body' ? { pointer: error.path } : { parameter: error.path.slice(1) }
    faults.set(error.path, { ...where, ...describe(error, place) })
  }
  return [...faults.values()]
}

/** Skips the fields of a field that is itself missing or has the wrong type. */
function isInside(path: string, faults: Map<string, Fault>): boolean {
  for (const [outer, fault] of faults) {
    if (path.startsWith(`${outer}/`) && (fault.code === 'required' || fault.code === 'wrong_type'))
      return true
  }
  return false
}

function describe({ type, schema, value }: Described, place: Place): { code: string; detail: string } {
  const fault = isTextKind(schema) && type === ValueErrorType.Kind ? textFault(schema, value) : undefined
  if (fault) return fault
  switch (type) {
    case ValueErrorType.ObjectAdditionalProperties:
      return place === 'body'
        ? { code: 'unknown_field', detail: 'Unknown field.' }
        : { code: 'unknown_parameter', detail: 'Unknown parameter.' }
    case ValueErrorType.ObjectRequiredProperty:
      return { code: 'required', detail: 'This field is required.' }
    case ValueErrorType.StringMinLength:
      return { code: 'too_short', detail: `Must have at least ${counted(schema.minLength, 'character')}.` }
    case ValueErrorType.StringMaxLength:
      return { code: 'too_long', detail: `Must be at most ${counted(schema.maxLength, 'character')}.` }
    case ValueErrorType.StringPattern:
      return { code: 'blank', detail: 'Must not be blank.' }
    case ValueErrorType.StringFormat:
      return { code: 'invalid_format', detail: formatDetail(schema) }
    case ValueErrorType.ArrayMaxItems:
      return { code: 'too_many', detail: `Must have at most ${schema.maxItems} entries.` }
    case ValueErrorType.ArrayMinItems:
      return {
        code: 'too_few',
        detail: `Must have at least ${counted(schema.minItems, 'entry', 'entries')}.`,
      }
    case ValueErrorType.Literal:
      return { code: 'not_allowed', detail: `Must be ${schema.const}.` }
    case ValueErrorType.Union:
      return unionFault(schema)
    default:
      return { code: 'wrong_type', detail: `Must be ${typeName(schema)}.` }
  }
}

function unionFault(schema: TSchema): { code: string; detail: string } {
  const branches: TSchema[] = schema.anyOf ?? []
  const words = branches.map((branch) => branch.const).filter((word) => typeof word === 'string')
  if (words.length > 0 && words.length === branches.length) {
    return { code: 'not_allowed', detail: `Must be one of: ${words.join(', ')}.` }
  }
  const integer = branches.find((branch) => branch.type === 'integer')
  if (integer) return { code: 'not_whole_number', detail: wholeNumberDetail(integer) }
  return { code: 'wrong_type', detail: `Must be ${branches.map(typeName).join(' or ')}.` }
}

export function wholeNumberDetail(schema: TSchema): string {
  const { minimum, maximum } = schema
  if (minimum === undefined) return 'Must be a whole number.'
  return maximum === undefined
    ? `Must be a whole number, ${minimum} or more.`
    : `Must be a whole number from ${minimum} to ${maximum}.`
}

function formatDetail(schema: TSchema): string {
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
