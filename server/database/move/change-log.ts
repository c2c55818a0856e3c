import type { Database as Connection } from 'bun:sqlite'
import { MOVED } from '../database.ts'
import { quoted, type Table, tablesOf, type Value } from '../postgresql/table-rows.ts'
import { inPages } from '../read-transaction.ts'

/** The keys of rows that were changed, in the order of the changes. */
const LOG = 'bellhop_changes'
/** Has a row while a move notes changes, or has left its log. */
export const HAS_CHANGE_LOG = `select 1 from sqlite_schema where type = 'table' and name = '${LOG}'`
const REFUSAL = 'bellhop_moved'
const TRIGGER = 'bellhop_note'
/** A key is some dozen bytes. */
const KEYS_AT_ONCE = 2_000

/**
 * From now on, triggers note the key of each row that any program inserts, updates, or deletes. Replaces what an earlier
 * move left.
 */
export function beginChangeLog(file: Connection): void {
  const tables = tablesOf(file)
  const columns = keyColumns(Math.max(...tables.map(({ key }) => key.length)))
  inTransaction(file, () => {
    dropAll(file)
    file.exec(`create table ${LOG} (number integer primary key, name text not null, ${columns.join(', ')})`)
    for (const table of tables) for (const statement of triggersOf(table)) file.exec(statement)
  })
}

/** Removes the triggers and what they noted, if there are any. The data stays as it is. */
export function dropChangeLog(file: Connection): void {
  if (triggersIn(file) > 0 || hasLog(file)) inTransaction(file, () => dropAll(file))
}

/** Whether every change since `beginChangeLog` is noted. */
export function isLogWhole(file: Connection): boolean {
  return hasLog(file) && triggersIn(file) === tablesOf(file).length * EVENTS.length
}

/** Every later change of a row is refused, by whatever program. In the transaction of the caller. */
export function refuseChanges(file: Connection): void {
  file.exec(`create trigger ${REFUSAL} before insert on ${LOG} begin
    select raise(abort, '${MOVED}'); end`)
}

/** The rows that were changed after a number in the log. Valid in the transaction in which they were looked up. */
export interface Changes {
  /** The number of the last change. */
  last: number
  rows: number
  /** The keys of changed rows, also of those that are gone. */
  keysOf(table: Table): Generator<Value[][]>
  /** The changed rows as they are now. */
  rowsOf(table: Table, atOnce: number): Generator<Value[][]>
}

export function changesAfter(file: Connection, number: number): Changes {
  file.exec('drop table if exists temp.changed')
  const { last } = file
    .query<{ last: number }, []>(`select coalesce(max(number), 0) as last from ${LOG}`)
    .get() ?? {
    last: 0,
  }
  const columns = file.query<{ name: string }, []>(`select name from pragma_table_info('${LOG}')`).all()
  const keys = keyColumns(columns.length - 2).join(', ')
  file.exec(`create temp table changed as select distinct name, ${keys} from ${LOG}
    where number > ${number} and number <= ${last};
    create index temp.changed_by_name on changed (name)`)
  const { rows } = file.query<{ rows: number }, []>('select count(*) as rows from temp.changed').get() ?? {
    rows: 0,
  }
  function* pages(sql: string, atOnce: number): Generator<Value[][]> {
    using query = file.prepare<Record<string, Value>, []>(sql)
    for (const found of inPages(query.iterate(), atOnce)) yield found.map((row) => Object.values(row))
  }
  return {
    last,
    rows,
    keysOf({ table, key }) {
      return pages(
        `select ${keyColumns(key.length).join(', ')} from temp.changed where name = '${table}'`,
        KEYS_AT_ONCE,
      )
    },
    rowsOf(table, atOnce) {
      const isSame = table.key.map((column, at) => `stored.${quoted(column)} = changed.k${at}`).join(' and ')
      return pages(
        `select ${table.columns.map((column) => `stored.${quoted(column)}`).join(', ')} from temp.changed
          cross join ${quoted(table.table)} as stored on ${isSame} where changed.name = '${table.table}'`,
        atOnce,
      )
    },
  }
}

const EVENTS = ['insert', 'update', 'delete'] as const

function triggersOf({ table, key }: Table): string[] {
  const columns = keyColumns(key.length).join(', ')
  const valuesOf = (row: 'old' | 'new') => key.map((column) => `${row}.${quoted(column)}`).join(', ')
  const note = (row: 'old' | 'new') =>
    `insert into ${LOG} (name, ${columns}) select '${table}', ${valuesOf(row)}`
  const isMoved = key.map((column) => `old.${quoted(column)} is not new.${quoted(column)}`).join(' or ')
  const actions = {
    insert: `${note('new')};`,
    update: `${note('old')}; ${note('new')} where ${isMoved};`,
    delete: `${note('old')};`,
  }
  return EVENTS.map(
    (event) =>
      `create trigger ${TRIGGER}_${event}_${table} after ${event} on ${quoted(table)} begin ${actions[event]} end`,
  )
}

function dropAll(file: Connection): void {
  for (const name of triggerNames(file)) file.exec(`drop trigger ${name}`)
  file.exec(`drop table if exists ${LOG}`)
}

function triggersIn(file: Connection): number {
  return triggerNames(file).filter((name) => name !== REFUSAL).length
}

function triggerNames(file: Connection): string[] {
  return file
    .query<{ name: string }, []>(
      "select name from sqlite_schema where type = 'trigger' and name like 'bellhop\\_%' escape '\\'",
    )
    .all()
    .map(({ name }) => name)
}

function hasLog(file: Connection): boolean {
  return file.query(HAS_CHANGE_LOG).get() !== null
}

function keyColumns(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `k${at}`)
}

function inTransaction(file: Connection, work: () => void): void {
  file.exec('BEGIN IMMEDIATE')
  try {
    work()
    file.exec('COMMIT')
  } finally {
    if (file.inTransaction) file.exec('ROLLBACK')
  }
}
