import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { engine } from '../../server/database/columns.ts'
import { MIGRATIONS, type Migration } from '../../server/database/migrations.ts'
import { emptyPlace } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { FOLDER, makeFilled, migrateTo, tablesAt } from './filled.ts'
import { openStorage, type Place, seenElsewhere } from './storage.ts'

const migrations: Migration[] = MIGRATIONS[engine]
const ROOT = `${import.meta.dir}/../..`
/** What a program needs to read its modules; then all of them begin at the same moment. */
const LOADING_MS = 150
const LEDGER = 'select version, name from bellhop_migrations order by version'

test('an empty place is migrated at the start, in order', async () => {
  const place = await emptyPlace()
  await using _storage = await openStorage(undefined, place)
  expect(await ledger(place)).toEqual(migrations.map(({ name }, index) => ({ version: index + 1, name })))
})

test('later migrations are applied after those that are there, each once', async () => {
  const place = await emptyPlace()
  const steps: Migration[] = [
    { name: 'one', sql: 'create table steps (name text)' },
    { name: 'two', sql: `insert into steps values ('two')` },
    { name: 'three', sql: `insert into steps select name || ', three' from steps` },
  ]
  for (const count of [1, 2, 2, 3, 3]) await migrateTo(place, steps.slice(0, count))
  expect(await seenElsewhere(place, 'select name from steps order by name')).toEqual([
    { name: 'two' },
    { name: 'two, three' },
  ])
})

/** The full-text index, which is made again from the tickets when its words change. */
const MADE_AGAIN = ['search_documents', 'search_cursors']

for (const [index, { name }] of migrations.entries()) {
  const version = index + 1
  test(`a filled database of version ${version} (${name}) keeps every row up to the newest`, async () => {
    const place = await emptyPlace()
    await makeFilled(place, version)
    const kept = tablesAt(version).flatMap((table) => {
      const newest = tablesAt(migrations.length).find((other) => other.name === table.name)
      const columns = Object.keys(table.columns).filter((column) => newest?.columns[column])
      const names = columns.map((column) => `"${column}"`).join()
      return columns.length > 0 && !MADE_AGAIN.includes(table.name)
        ? [`select ${names} from ${table.name} order by ${names}`]
        : []
    })
    const before = await Promise.all(kept.map((question) => seenElsewhere(place, question)))
    await using _storage = await openStorage(undefined, place)
    const after = await Promise.all(kept.map((question) => seenElsewhere(place, question)))
    // A migration may add rows, such as counters of what is there.
    for (const [table, rows] of before.entries()) expect(after[table]).toEqual(expect.arrayContaining(rows))
    expect(before.every((rows) => rows.length === 3)).toBe(true)
    expect(await ledger(place)).toHaveLength(migrations.length)
  })
}

test('a migration that fails changes nothing, and the next start tries it again', async () => {
  const place = await emptyPlace()
  await makeFilled(place, migrations.length)
  const broken = { name: 'broken', sql: 'update tickets set version = 99; update nowhere set x = 1' }
  expect(await migrateTo(place, [...migrations, broken]).catch((error) => error)).toBeInstanceOf(Error)
  expect(await seenElsewhere(place, 'select * from tickets where version = 99')).toEqual([])
  const mended = { name: 'mended', sql: 'update tickets set version = 99' }
  await migrateTo(place, [...migrations, mended])
  expect(await seenElsewhere(place, 'select * from tickets where version = 99')).toHaveLength(3)
})

test('programs that start at once on an empty place all start, and migrate it once', async () => {
  for (let round = 0; round < 6; round += 1) {
    const place = await emptyPlace()
    const programs = Array.from({ length: 4 }, () =>
      Bun.spawn([process.execPath, `${import.meta.dir}/programs/open.ts`], {
        env: { ...process.env, ...place },
        stdio: ['pipe', 'ignore', 'pipe'],
      }),
    )
    await Bun.sleep(LOADING_MS)
    for (const program of programs) await program.stdin.end()
    const complaints = await Promise.all(programs.map((program) => new Response(program.stderr).text()))
    expect(complaints.join('')).toBe('')
    expect(await Promise.all(programs.map((program) => program.exited))).toEqual([0, 0, 0, 0])
    expect(await ledger(place)).toHaveLength(migrations.length)
  }
})

test('the program contains every migration file, in the order they were made', () => {
  const files = readdirSync(FOLDER).filter((name) => name.endsWith('.sql'))
  const journal = JSON.parse(readFileSync(`${FOLDER}/meta/_journal.json`, 'utf8'))
  expect(journal.entries.map((entry: { tag: string }) => `${entry.tag}.sql`)).toEqual(files.sort())
  expect(migrations.map(({ sql }) => sql)).toEqual(
    files.map((name) => readFileSync(`${FOLDER}/${name}`, 'utf8')),
  )
})

test('the tables have no change that is not in a migration', async () => {
  const copy = temporaryFolder('drizzle')
  cpSync(FOLDER, copy, { recursive: true })
  const drizzleKit = [process.execPath, 'node_modules/drizzle-kit/bin.cjs', 'generate', '--casing=snake_case']
  const tables = ['--schema=server/database/tables/*.ts', `--dialect=${engine}`]
  // drizzle-kit takes a relative folder only.
  const child = Bun.spawn([...drizzleKit, ...tables, `--out=${relative(ROOT, copy)}`], {
    cwd: ROOT,
    env: process.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  expect(await new Response(child.stdout).text()).toContain('No schema changes')
})

function ledger(place: Place): Promise<Record<string, unknown>[]> {
  return seenElsewhere(place, LEDGER)
}

test.skipIf(engine !== 'sqlite')(
  'before an upgrade, a copy of the database is kept, of the last two versions, and without space nothing changes',
  async () => {
    const place = await emptyPlace()
    const steps: Migration[] = Array.from({ length: 5 }, (_, at) => ({
      name: `step ${at + 1}`,
      sql: `create table step_${at + 1} (name text)`,
    }))
    const copies = join(place.BELLHOP_DATA, 'before-upgrade')
    await migrateTo(place, steps.slice(0, 1))
    expect(existsSync(copies)).toBe(false)
    for (const count of [2, 3, 3, 4]) await migrateTo(place, steps.slice(0, count))
    expect(readdirSync(copies).sort()).toEqual(['bellhop-2.db', 'bellhop-3.db'])
    using before = new Database(join(copies, 'bellhop-3.db'), { readonly: true })
    expect(before.query('select max(version) as version from bellhop_migrations').all()).toEqual([
      { version: 3 },
    ])

    rmSync(copies, { recursive: true })
    writeFileSync(copies, 'no folder')
    await expect(migrateTo(place, steps)).rejects.toThrow(/can't be copied .* so nothing was changed/)
    expect(await ledger(place)).toHaveLength(4)
  },
)
