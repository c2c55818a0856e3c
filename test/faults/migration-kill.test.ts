import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { engine } from '../../server/database/columns.ts'
import { MIGRATIONS } from '../../server/database/migrations.ts'
import { execute, makeFilled, tablesAt } from '../database/filled.ts'
import { openStorage, type Place, seenElsewhere } from '../database/storage.ts'
import { emptyPlace } from '../support/engine.ts'
import { PROGRAM } from '../support/program.ts'

const NEWEST = MIGRATIONS.postgresql.length
const LOCK = 1
const POLL_MS = 5

/** Both wait for a lock that the test holds: after the first index that is created, or before a version is recorded. */
const STOPS = {
  'after its first index': `
    create function wait_for_test() returns event_trigger language plpgsql
      as 'begin perform pg_advisory_xact_lock(${LOCK}); end';
    create event trigger wait_for_test on ddl_command_end when tag in ('CREATE INDEX')
      execute function wait_for_test()`,
  'before its version is recorded': `
    create function wait_for_test() returns trigger language plpgsql
      as 'begin perform pg_advisory_xact_lock(${LOCK}); return new; end';
    create trigger wait_for_test before insert on bellhop_migrations
      execute function wait_for_test()`,
}

describe.if(engine === 'postgresql')('a migration of PostgreSQL that was killed', () => {
  test('on an empty database leaves no table, and the next start completes it', async () => {
    const place = await emptyPlace()
    await killInside(place, 'after its first index')
    expect(await tableNames(place)).toEqual([])
    await using _storage = await openStorage(undefined, place)
    expect(await versionOf(place)).toBe(NEWEST)
  })

  for (const stop of ['after its first index', 'before its version is recorded'] as const) {
    test(`${stop} leaves the data of the previous version, and the next start completes it`, async () => {
      const place = await emptyPlace()
      await makeFilled(place, 1)
      const before = await contentOf(place)
      await killInside(place, stop)
      expect(await contentOf(place)).toEqual(before)
      expect(await versionOf(place)).toBe(1)
      await using _storage = await openStorage(undefined, place)
      expect(await versionOf(place)).toBe(NEWEST)
      expect(await contentOf(place)).toMatchObject(withoutDropped(before))
    })
  }
})

/** Starts the server, kills it while its migration waits, and returns when the database server has noticed. */
async function killInside(place: Place, stop: keyof typeof STOPS): Promise<void> {
  await execute(place, [STOPS[stop]])
  const client = new SQL(place.DATABASE_URL ?? '', { max: 1 })
  const otherSessions = async (waitEvent: string) => {
    const [row] = await client`select count(*)::int as sessions from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and coalesce(wait_event, '') like ${waitEvent}`
    return row.sessions
  }
  try {
    await client`select pg_advisory_lock(${LOCK})`
    const env = { ...place, PORT: '0', BELLHOP_LOG: 'error' }
    const child = Bun.spawn([...PROGRAM, 'serve'], { env, stdio: ['ignore', 'ignore', 'inherit'] })
    while ((await otherSessions('advisory')) === 0) {
      expect(child.exitCode).toBeNull()
      await Bun.sleep(POLL_MS)
    }
    child.kill('SIGKILL')
    await child.exited
    await client`select pg_advisory_unlock(${LOCK})`
    while ((await otherSessions('%')) > 0) await Bun.sleep(POLL_MS)
  } finally {
    await client.close()
  }
  await execute(place, [
    'drop event trigger if exists wait_for_test',
    'drop function if exists wait_for_test cascade',
  ])
}

async function tableNames(place: Place): Promise<unknown[]> {
  const rows = await seenElsewhere(
    place,
    "select tablename from pg_tables where schemaname = 'public' order by 1",
  )
  return rows.map(({ tablename }) => tablename)
}

/** Columns that later versions replace. */
const DROPPED = ['then_status', 'is_spam']

function withoutDropped(content: Record<string, Record<string, unknown>[]>) {
  const isKept = ([column]: [string, unknown]) => !DROPPED.includes(column)
  const kept = (row: Record<string, unknown>) => Object.fromEntries(Object.entries(row).filter(isKept))
  return Object.fromEntries(Object.entries(content).map(([table, rows]) => [table, rows.map(kept)]))
}

/** The rows of the tables of version 1. */
async function contentOf(place: Place): Promise<Record<string, Record<string, unknown>[]>> {
  const names = tablesAt(1).map(({ name }) => name)
  expect(names.length).toBeGreaterThan(20)
  const rows = await Promise.all(
    names.map((name) => seenElsewhere(place, `select * from "${name}" as t order by t::text`)),
  )
  return Object.fromEntries(names.map((name, at) => [name, rows[at] ?? []]))
}

async function versionOf(place: Place): Promise<unknown> {
  const [row] = await seenElsewhere(place, 'select max(version) as version from bellhop_migrations')
  return row?.version
}
