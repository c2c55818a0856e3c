import { describe, expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { startDatabaseRelay } from '../support/database-relay.ts'
import { freshPlace } from '../support/engine.ts'
import { createEmptyDatabase } from '../support/postgres.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { execute } from './filled.ts'
import { type Place, seenElsewhere } from './storage.ts'

describe.if(engine === 'postgresql')('doctor', () => {
  test('finds nothing wrong with a database as the guide creates it', async () => {
    const found = await findings(await freshPlace())
    expect(found).toEqual([
      expect.stringMatching(/^ok: PostgreSQL \d+ answers, and the tables are current\.$/),
    ])
  })

  test('says that a database takes no changes', async () => {
    const place = await freshPlace()
    await execute(place, [`alter database ${nameOf(place)} set default_transaction_read_only = on`])
    expect(await findings(place)).toEqual([
      'error: The PostgreSQL server takes no changes: it is a standby, or set to be read only.',
    ])
  })

  test('says that the user may not create tables', async () => {
    const place = await freshPlace()
    const user = `guest_of_${nameOf(place)}`
    await execute(place, [
      `create role ${user} login`,
      `grant select on all tables in schema public to ${user}`,
    ])
    const address = new URL(place.DATABASE_URL ?? '')
    address.username = user
    expect(await findings({ ...place, DATABASE_URL: address.href })).toEqual([
      "error: The user in DATABASE_URL can't create tables, so an upgrade would fail.",
    ])
  })

  test('says that a database has another encoding', async () => {
    const place = await freshPlace()
    expect(await findings(await otherDatabase(place, "encoding 'LATIN1' locale 'C'"))).toEqual([
      'error: The database has the encoding LATIN1.',
    ])
  })

  test('says that a database sorts by a language', async () => {
    const place = await freshPlace()
    const collations = await seenElsewhere(place, "select 1 from pg_collation where collprovider = 'i'")
    // Not every build of PostgreSQL has ICU, and not every machine has another locale than C.
    if (collations.length === 0) return
    const english = await otherDatabase(place, "locale_provider icu icu_locale 'en-US'")
    expect(await findings(english)).toEqual(['warning: The database sorts by the locale en-US.'])
  })

  test('shows which part of the work a server does', async () => {
    const place = await freshPlace()
    await using _ = await startProgram(place)
    expect(await findings(place, 'servers')).toContainEqual(
      expect.stringMatching(
        /^ok: 1 server: [0-9a-f]{16} on \S+ \(\S+, 32 of 32 parts of the work, lease for \d+ s\)\.$/,
      ),
    )
  })

  test('says that the database is away, and not that the server is at fault', async () => {
    const place = await freshPlace()
    using relay = startDatabaseRelay(place.DATABASE_URL ?? '')
    const through = { ...place, DATABASE_URL: relay.url }
    await using server = await startProgram(through)
    relay.leadTo('postgres://127.0.0.1:1')
    expect(await findings(through, 'server')).toEqual([
      `error: The server at ${server.url} isn't ready: The database isn't available. Look at PostgreSQL. The server goes on as soon as that answers.`,
    ])
  })
})

/** Of `bellhop doctor`. */
async function findings(place: Place, about = 'database'): Promise<string[]> {
  const { out } = await runProgram(place, ['doctor', '--json'])
  const report: { findings: { check: string; state: string; detail: string; advice: string }[] } =
    JSON.parse(out)
  return report.findings.flatMap(({ check, state, detail, advice }) =>
    check === about ? [`${state}: ${detail}${about === 'server' ? ` ${advice}` : ''}`] : [],
  )
}

async function otherDatabase(place: Place, options: string): Promise<Place> {
  return { ...place, DATABASE_URL: await createEmptyDatabase(place.DATABASE_URL ?? '', options) }
}

function nameOf({ DATABASE_URL = '' }: Place): string {
  return new URL(DATABASE_URL).pathname.slice(1)
}
