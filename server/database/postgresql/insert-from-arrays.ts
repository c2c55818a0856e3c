import { type Column, getTableColumns, type SQL, sql } from 'drizzle-orm'
import { toSnakeCase } from 'drizzle-orm/casing'
import { PgDialect } from 'drizzle-orm/pg-core/dialect'
import type { InsertDefinition, InsertedRow } from '../direct-queries.ts'
import { textElement } from './arrays.ts'

const dialect = new PgDialect({ casing: 'snake_case' })

export interface ArrayInsert {
  text: string
  columns: number
  /** Adds the values of a row to those of each column, as PostgreSQL writes them in an array. */
  addRow(row: InsertedRow, values: string[][]): void
}

/** An insert of any number of rows with one array per column, so that it is planned once, whatever their number. */
export function insertFromArrays(definition: InsertDefinition): ArrayInsert {
  const { table, names, given, expressionOf } = definition
  const columns: Record<string, Column> = getTableColumns(table)
  const inRow = (name: string) => sql`given.${sql.identifier(name)}`
  const arrays = given.map(
    (name) => sql`cast(${sql.placeholder(name)} as ${sql.raw(elementType(columns[name]))}[])`,
  )
  const { sql: text } = dialect.sqlToQuery(sql`insert into ${table} (${list(names.map(stored))})
    select ${list(names.map((name) => expressionOf.get(name)?.(inRow(name), inRow) ?? inRow(name)))}
    from unnest(${list(arrays)}) as given(${list(given.map((name) => sql`${sql.identifier(name)}`))})
    ${conflictClause(definition)}`)
  return {
    text,
    columns: given.length,
    addRow(row, values) {
      given.forEach((name, place) => {
        values[place]?.push(elementOf(row[name], name, columns[name]))
      })
    },
  }
}

function conflictClause({ onConflict }: InsertDefinition): SQL {
  if (!onConflict) return sql``
  if (onConflict === 'keep') return sql`on conflict do nothing`
  const target = onConflict.target.map(({ name }) => stored(name ?? ''))
  const changes = Object.entries(onConflict.set).map(([name, value]) => sql`${stored(name)} = ${value}`)
  const where = onConflict.setWhere ? sql` where ${onConflict.setWhere}` : sql``
  return sql`on conflict (${list(target)}) do update set ${list(changes)}${where}`
}

function stored(name: string): SQL {
  return sql`${sql.identifier(toSnakeCase(name))}`
}

function list(parts: SQL[]): SQL {
  return sql.join(parts, sql`, `)
}

/** Other types than these are cast from text by an expression. */
function elementType(column: Column | undefined): string {
  const type = column?.getSQLType() ?? ''
  if (type === 'bigserial') return 'bigint'
  return ['bigint', 'boolean', 'bytea'].includes(type) ? type : 'text'
}

function elementOf(value: unknown, name: string, column: Column | undefined): string {
  if (value === undefined) throw new Error(`The row has no value for "${name}".`)
  const encoded = value === null ? null : column?.mapToDriverValue(value)
  if (encoded === null || encoded === undefined) return 'NULL'
  if (typeof encoded === 'string') return textElement(encoded)
  if (encoded instanceof Uint8Array) return `"\\\\x${encoded.toHex()}"`
  return String(encoded)
}
