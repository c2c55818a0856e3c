import { getTableColumns } from 'drizzle-orm'
import type { PgColumn } from 'drizzle-orm/pg-core'
import { RECORD_KINDS, type RecordKind } from './record-kinds.ts'

/** How a value is written in JSON. `bytes` are base64, a `secret` is a text that the database encrypts. */
type FieldType = 'text' | 'integer' | 'boolean' | 'json' | 'bytes' | 'secret'

interface Field {
  name: string
  column: PgColumn
  type: FieldType
  isNullable: boolean
}

/** A kind of record with its fields, in the order of the columns. */
export interface FieldedKind extends RecordKind {
  fields: Field[]
  /** The column with the organization's id. */
  ownedBy: PgColumn
  orderedBy: PgColumn[]
}

/** The organization is named once, in the first line of a file. */
const IMPLIED = 'orgId'

export const FIELDED_KINDS: FieldedKind[] = RECORD_KINDS.map((kind) => {
  const columns: [string, PgColumn][] = Object.entries(getTableColumns(kind.table))
  const byName = new Map(columns)
  const columnOf = (name: string): PgColumn => {
    const column = byName.get(name)
    if (!column) throw new Error(`${kind.name} has no column ${name}.`)
    return column
  }
  const fields = columns.flatMap(([name, column]) => {
    if (name === IMPLIED || name in kind.left) return []
    const type = kind.secrets.includes(name) ? 'secret' : typeOf(column)
    return [{ name, column, type, isNullable: !column.notNull }]
  })
  return {
    ...kind,
    fields,
    ownedBy: columnOf(byName.has(IMPLIED) ? IMPLIED : 'id'),
    orderedBy: kind.order.map(columnOf),
  }
})

/** The row as a record. `values` are those of the fields; `reveal` decrypts. */
export function recordOf(
  { name, fields }: FieldedKind,
  values: unknown[],
  reveal: (secret: Uint8Array) => string,
): Record<string, unknown> {
  const record: Record<string, unknown> = { record: name }
  for (const [place, field] of fields.entries())
    record[field.name] = encoded(field.type, values[place], reveal)
  return record
}

/**
 * The values of a record by column, those of secrets as plain text. Fields that the record doesn't have, because it was
 * exported before they were invented, get their default. Throws for a record that isn't of this kind.
 */
export function rowOf({ name, fields, left, absent }: FieldedKind, record: Record<string, unknown>) {
  const row: Record<string, unknown> = { ...left }
  let known = 1
  for (const { name: field, column, type, isNullable } of fields) {
    const value = record[field]
    if (value !== undefined) known += 1
    row[field] = value === undefined ? (absent[field] ?? column.default) : decoded(type, value)
    if (row[field] === undefined && isNullable) row[field] = null
    const isAbsent = row[field] === undefined || (value === null && !isNullable)
    if (isAbsent) throw new Error(`A record "${name}" has no valid "${field}".`)
  }
  if (Object.keys(record).length !== known) throw new Error(`A record "${name}" has an unknown field.`)
  return row
}

function encoded(type: FieldType, value: unknown, reveal: (secret: Uint8Array) => string): unknown {
  if (!(value instanceof Uint8Array)) return value
  return type === 'secret' ? reveal(value) : Buffer.from(value).toString('base64')
}

/** Undefined for a value of another type. */
function decoded(type: FieldType, value: unknown): unknown {
  if (value === null || type === 'json') return value
  if (type === 'integer') return Number.isSafeInteger(value) ? value : undefined
  if (type === 'boolean') return typeof value === 'boolean' ? value : undefined
  if (typeof value !== 'string') return undefined
  // PostgreSQL can't store this character.
  if (type !== 'bytes') return value.includes('\0') ? undefined : value
  const bytes = Buffer.from(value, 'base64')
  return bytes.toString('base64') === value ? bytes : undefined
}

/** Both engines, whose columns of JSON and bytes have other names. */
function typeOf(column: PgColumn): FieldType {
  const { dataType } = column
  if (dataType === 'string') return 'text'
  if (dataType === 'number') return 'integer'
  if (dataType === 'boolean') return 'boolean'
  if (dataType === 'custom') return column.getSQLType() === 'bytea' ? 'bytes' : 'json'
  return String(dataType) === 'buffer' ? 'bytes' : 'json'
}
