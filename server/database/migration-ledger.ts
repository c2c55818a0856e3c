import { StartError } from '../errors.ts'
import { canRunTogether, VERSION } from '../version.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'

type Engine = keyof typeof MIGRATIONS

export const MAKE_LEDGER = `create table if not exists bellhop_migrations (
  version integer primary key, name text not null, applied_at bigint not null, fingerprint text)`
/** `program`: the version of the program that applied it, on PostgreSQL. The ledgers of the first ones have neither of the last two. */
export const READ_LEDGER = 'select * from bellhop_migrations order by version'

/** The names of tables, and one column or index of each. */
export const READ_SHAPE: Record<Engine, string> = {
  sqlite: 'select tbl_name, sql from sqlite_schema where sql is not null',
  postgresql: `
    select c.relname::text, a.attname || ' ' || format_type(a.atttypid, a.atttypmod) || ' ' || a.attnotnull
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0
        and not a.attisdropped
    union all
    select tablename::text, indexname || ' ' || substring(indexdef from ' USING .*$') from pg_indexes
      where schemaname = current_schema()`,
}

/**
 * Of the tables after one and after two migrations. The programs that applied these stored no fingerprints, and before
 * the last of them the migrations were written anew several times under the same names.
 */
const KNOWN_SHAPES: Record<Engine, string[]> = {
  sqlite: [
    '79c55e8b8287e0d2d88b7ef05d780b3f0ddaf1f5fe833cf7f94893f273d60611',
    '0e856bf425211e818d0071cdd07f06a808aa310ca749c53014591e5f8348b023',
  ],
  postgresql: [
    '8a41fb3192fa7012d42319a41865df523863e1d58b1e75768431305cb07a6103',
    'a05a7035cc8fb4a51655be4272ad6f7d60d9eef25dc021fa7a84a6134fa23b88',
  ],
}

/** What to do with the data of a pre-release. */
export const MOVE_DATA =
  'Export each organization with that program (bellhop export), then import the files into a new data folder.'

/**
 * What a program finds in a database. `detail` is a sentence for people. `next`: a server of the next release has
 * upgraded it, and this program runs on it.
 */
export type DataState =
  | { kind: 'current' }
  | { kind: 'older' | 'next' | 'newer' | 'pre_release'; detail: string }
  | { kind: 'marked'; mark: Mark; moveId: string; detail: string; advice: string }

/**
 * What a move between the engines notes in the ledger, as if it were the newest migration. So earlier programs, too,
 * refuse the data: to them, it's newer.
 */
const MARKS = {
  unfinished_move: {
    detail: 'A move into this database is unfinished.',
    advice: 'Run the same bellhop move again.',
  },
  moved_to_postgresql: {
    detail: 'The data was moved to PostgreSQL, and this copy is out of date.',
    advice: 'Set DATABASE_URL to the database that has it. To move back, run: bellhop move --back',
  },
  moved_to_sqlite: {
    detail: 'The data was moved to the embedded database of a data folder, and this copy is out of date.',
    advice: 'Leave DATABASE_URL empty, and set BELLHOP_DATA to that folder.',
  },
}
type Mark = keyof typeof MARKS
const MARK_VERSION = 1_000_000
export const DELETE_MARK = `delete from bellhop_migrations where version = ${MARK_VERSION}`

/** A statement that notes it. `moveId` is the same at both ends of a move; neither it nor `now` comes from outside. */
export function insertMark(mark: Mark, moveId: string, now: number): string {
  return `insert into bellhop_migrations (version, name, applied_at, fingerprint)
    values (${MARK_VERSION}, '${mark}', ${now}, '${moveId}')`
}

/**
 * Judges a database by what `READ_LEDGER` and `READ_SHAPE` return, as arrays. Migrations are append-only: one that is not
 * the program's own was applied by a pre-release, and left other tables.
 */
export function judgeData(
  engine: Engine,
  { ledger, shape }: { ledger: unknown[][]; shape: unknown[][] },
  migrations: readonly Migration[] = MIGRATIONS[engine],
): DataState {
  const applied = ledger.map(([version, name, appliedAt, fingerprint, program]) => ({
    version: Number(version),
    name: String(name),
    appliedAt: Number(appliedAt),
    fingerprint: fingerprint ?? undefined,
    program: program ? String(program) : undefined,
  }))
  const unsigned = applied.filter((row) => row.fingerprint === undefined && migrations[row.version - 1])
  const isShapeKnown =
    unsigned.length === 0 ||
    shapeHash(engine, shape, unsigned.length) === KNOWN_SHAPES[engine][unsigned.length - 1]
  const foreign = applied.find(({ version, name, fingerprint }) => {
    const own = migrations[version - 1]
    if (!own) return false
    return fingerprint === undefined ? !isShapeKnown || name !== own.name : fingerprint !== fingerprintOf(own)
  })
  if (foreign) {
    const date = new Date(foreign.appliedAt).toISOString().slice(0, 10)
    return {
      kind: 'pre_release',
      detail: `The data was made by a pre-release of ${date}, and this program can't read it.`,
    }
  }
  const last = applied.at(-1)
  const version = last?.version ?? 0
  if (last && isMark(last.name)) {
    return { kind: 'marked', mark: last.name, moveId: String(last.fingerprint), ...MARKS[last.name] }
  }
  const supported = migrations.length
  const program = last?.program
  if (version > supported) {
    return {
      kind: program !== undefined && canRunTogether(program, VERSION) ? 'next' : 'newer',
      detail:
        program === undefined
          ? `The data is at version ${version}, but this program only supports ${supported}.`
          : `Bellhop ${program} has upgraded the data, and this program is ${VERSION}.`,
    }
  }
  if (version < supported) {
    return {
      kind: 'older',
      detail: `The data is at version ${version}, and this program needs ${supported}.`,
    }
  }
  return { kind: 'current' }
}

function isMark(name: string): name is Mark {
  return Object.hasOwn(MARKS, name)
}

/** Throws `StartError` for data that this program can't open. */
export function requireOpenable(state: DataState): void {
  if (state.kind === 'marked') throw new StartError(`${state.detail} ${state.advice}`)
  if (state.kind === 'newer') throw new NewerDataError(`${state.detail} Start the newer program.`)
  if (state.kind === 'pre_release') throw new StartError(`${state.detail} ${MOVE_DATA}`)
}

/** For what copies data, and doesn't upgrade it. */
export function notAtThisVersion(): StartError {
  return new StartError("The data isn't at this program's version. Start the server of this version first.")
}

/** A newer version of Bellhop wrote the data. */
class NewerDataError extends StartError {
  override name = 'NewerDataError'
}

export function fingerprintOf({ sql }: Migration): string {
  return sha256(sql)
}

/** Of the program's own tables only: an administrator may have made others. */
function shapeHash(engine: Engine, shape: unknown[][], version: number): string {
  const made = MIGRATIONS[engine].slice(0, version).flatMap(({ sql }) => [...sql.matchAll(CREATED_TABLE)])
  const own = new Set(made.map(([, name]) => name))
  const lines = shape.flatMap(([table, line]) => (own.has(String(table)) ? [`${table} ${line}`] : []))
  return sha256(lines.sort().join('\n'))
}

const CREATED_TABLE = /CREATE (?:VIRTUAL )?TABLE (?:IF NOT EXISTS )?["`](\w+)/g

function sha256(text: string): string {
  return new Bun.CryptoHasher('sha256').update(text).digest('hex')
}
