import { judgeData, READ_LEDGER, READ_SHAPE } from '../database/migration-ledger.ts'
import { openPool } from '../database/postgresql/postgres-pool.ts'
import { type Finding, findingsOf } from './finding.ts'
import { ofDataState } from './judge-version.ts'

const { warning, error } = findingsOf('database')
/** The oldest that has what Bellhop uses, and the oldest that it is tested with. */
const OLDEST_VERSION = 13
const OLDEST_TESTED = 15
const CONNECT_TIMEOUT_S = 5
/** Sort by code points, as Bellhop does. */
const PLAIN_LOCALE = /^(C|POSIX|C\.UTF-?8|ucs_basic)$/i

interface Facts {
  version: number
  encoding: string
  locale: string
  isReadOnly: boolean
  mayCreate: boolean
  hasTables: boolean
}

/**
 * Checks that the database server responds, and has what Bellhop needs. Never shows the URL, which contains a password.
 */
export async function checkPostgres(url: string): Promise<Finding[]> {
  const client = openPool(url, { max: 1, connectionTimeout: CONNECT_TIMEOUT_S })
  try {
    // The locale of ICU is in another column than that of the C library, and its name depends on the version.
    const [facts]: Facts[] = await client`select
      current_setting('server_version_num')::int as "version",
      current_setting('server_encoding') as "encoding",
      coalesce(to_jsonb(it) ->> 'datlocale', to_jsonb(it) ->> 'daticulocale', datcollate) as "locale",
      pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
      has_schema_privilege(current_schema(), 'create') as "mayCreate",
      to_regclass('bellhop_migrations') is not null as "hasTables"
      from pg_database as it where datname = current_database()`
    if (!facts) throw new Error('The database server gave no answer.')
    const faults = faultsOf(facts)
    if (faults.length > 0 || !facts.hasTables) return faults.length > 0 ? faults : [empty()]
    const ledger: unknown[][] = await client.unsafe(READ_LEDGER).values()
    const shape: unknown[][] = await client.unsafe(READ_SHAPE.postgresql).values()
    const whole = `PostgreSQL ${major(facts)} answers, and the tables are current.`
    return [ofDataState(judgeData('postgresql', { ledger, shape }), whole)]
  } catch {
    // The error's text may contain the address and the user.
    const detail = "The database at DATABASE_URL can't be used."
    return [error(detail, 'Check that PostgreSQL runs, and the host, name, and password in DATABASE_URL.')]
  } finally {
    await client.close({ timeout: 0 }).catch(() => {})
  }
}

function faultsOf(facts: Facts): Finding[] {
  const faults: Finding[] = []
  if (facts.isReadOnly) {
    const detail = 'The PostgreSQL server takes no changes: it is a standby, or set to be read only.'
    faults.push(error(detail, 'Use the primary server in DATABASE_URL.'))
  }
  if (!facts.mayCreate) {
    const detail = "The user in DATABASE_URL can't create tables, so an upgrade would fail."
    faults.push(error(detail, 'Make it the owner of the database.'))
  }
  if (facts.encoding !== 'UTF8') {
    const detail = `The database has the encoding ${facts.encoding}.`
    faults.push(error(detail, 'Move the data to a database created with --encoding=UTF8.'))
  }
  if (!PLAIN_LOCALE.test(facts.locale)) {
    const detail = `The database sorts by the locale ${facts.locale}.`
    faults.push(warning(detail, 'Move the data to a database created with --locale=C.'))
  }
  if (major(facts) < OLDEST_TESTED) {
    const detail = `PostgreSQL ${major(facts)} is old. Bellhop needs ${OLDEST_VERSION}, and is tested with ${OLDEST_TESTED} and later.`
    faults.push((major(facts) < OLDEST_VERSION ? error : warning)(detail, 'Upgrade PostgreSQL.'))
  }
  return faults
}

function empty(): Finding {
  const detail = 'The database at DATABASE_URL has no Bellhop data.'
  return error(detail, 'Check DATABASE_URL, or start with: bellhop setup')
}

function major({ version }: Facts): number {
  return Math.floor(version / 10_000)
}
