import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { migrateSqlite } from '../../server/database/migrate.ts'
import { MIGRATIONS } from '../../server/database/migrations.ts'
import { call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { PROGRAM, runProgram, startProgram } from '../support/program.ts'

/**
 * The data folder of an organization with one of everything, written by the last program whose database had one
 * migration, and what that program answered. Its times are those of the manual clock.
 */
const OLD = join(import.meta.dir, '../binary/data/version-1.tar.zst')
const NEWEST = MIGRATIONS.sqlite.length
const COPIES = 'before-upgrade'
const FILLER_BYTES = 8 * 1024 * 1024

interface Old {
  folder: string
  url: string
  /** An API key, the session of the administrator whom the pages answered, and another one's password. */
  key: string
  cookie: string
  email: string
  password: string
  /** SHA-256 of files, by id. */
  hashes: Record<string, string>
  /** What a GET was answered with, by path. */
  answers: Record<string, object | string>
}

async function unpackOld(): Promise<Old> {
  const root = temporaryFolder('old')
  await new Bun.Archive(Bun.zstdDecompressSync(readFileSync(OLD))).extract(root)
  const text = await Bun.file(join(root, 'answers.json')).text()
  // Sentences of the program, which may be worded anew.
  const known = JSON.parse(text, (name, value) => (name === 'detail' ? undefined : value))
  return { ...known, folder: join(root, 'data') }
}

function pathsOf({ answers }: Old, prefix: string): string[] {
  return Object.keys(answers).filter((path) => path.startsWith(prefix))
}

/** Of the data: its version, and what must be there whatever happens. */
function stateOf(file: string) {
  using database = new Database(file)
  const one = (sql: string) => Object.values(database.query<Record<string, unknown>, []>(sql).get() ?? {})[0]
  return {
    version: Number(one('select max(version) from bellhop_migrations')),
    hasBackups: one("select count(*) from sqlite_schema where name = 'backups'") === 1,
    tickets: one('select count(*) from tickets'),
    integrity: one('PRAGMA integrity_check'),
  }
}

const state = (version: number) => ({ version, hasBackups: version > 1, tickets: 42, integrity: 'ok' })

test('the data of an earlier version is complete after the upgrade, and a copy from before it is kept', async () => {
  const old = await unpackOld()
  const place = { BELLHOP_DATA: old.folder, BELLHOP_LOG: 'error' }
  const headers = { authorization: `Bearer ${old.key}` }
  for (const start of ['upgrade', 'next']) {
    await using server = await startProgram(place)
    for (const path of pathsOf(old, '/v1/')) {
      const { json } = await call('GET', server.url + path, { headers })
      expect([start, path, json]).toMatchObject([start, path, numbered(old.answers[path] ?? '')])
    }
    for (const [id, hash] of Object.entries(old.hashes)) {
      const file = await fetch(`${server.url}/v1/attachments/${id}`, { headers })
      expect(Bun.SHA256.hash(await file.arrayBuffer(), 'hex')).toBe(hash)
    }
    const { email, password } = old
    const signedIn = await call('POST', `${server.url}/console/session`, {
      headers: { 'sec-fetch-site': 'same-origin' },
      body: { email, password },
    })
    expect(signedIn.status).toBe(201)
    expect(await server.end('SIGTERM')).toBe(0)
    expect(readdirSync(join(old.folder, COPIES))).toEqual(['bellhop-1.db'])
  }
  expect(stateOf(join(old.folder, 'bellhop.db'))).toEqual(state(NEWEST))
  expect(stateOf(join(old.folder, COPIES, 'bellhop-1.db'))).toEqual(state(1))
})

test('everything that the pages show is the same after the upgrade', async () => {
  const old = await unpackOld()
  const bellhop = await startBellhop({ clock: createManualClock(), settings: { BELLHOP_DATA: old.folder } })
  await using _ = { [Symbol.asyncDispose]: bellhop.stop }
  const headers = { cookie: old.cookie }
  const paths = pathsOf(old, '/console/').filter((path) => !CHANGING.test(path))
  expect(paths.length).toBeGreaterThan(30)
  for (const path of paths) {
    const { json, text } = await call('GET', bellhop.url + path, { headers })
    const shown = json ? JSON.parse(text.replaceAll(bellhop.url, old.url)) : text
    expect([path, shown]).toMatchObject([path, numbered(old.answers[path] ?? '')])
  }
})

/** Visitors without a name have a number since. */
function numbered(answer: unknown): unknown {
  return typeof answer === 'string'
    ? answer
    : JSON.parse(JSON.stringify(answer).replaceAll('"name":"Visitor"', '"name":"Visitor 1"'))
}

/**
 * That the key was used is stored some time later. The styles of the frame, the order of the checklist, which time of a
 * customer's tickets is shown, and how a paused mailbox is described are the program's.
 */
const CHANGING = /^\/console\/(keys|checklist|mailboxes\/senders)$|\/frame$|^\/console\/customers\//

test('whenever the upgrade is killed, the data is as before or upgraded, and the next start completes it', async () => {
  const moments: [string, (folder: string) => boolean][] = [
    ['it begins', (folder) => existsSync(join(folder, COPIES))],
    ['the copy is being written', (folder) => copies(folder).some((size) => size > 0)],
    ['half of the copy is written', (folder) => copies(folder).some((size) => size > FILLER_BYTES / 2)],
    ['the copy has its name', (folder) => existsSync(join(folder, COPIES, 'bellhop-1.db'))],
    ['the migration is written', (folder) => isUpgraded(folder)],
  ]
  for (const [moment, hasCome] of moments) {
    const { folder } = await unpackOld()
    const file = join(folder, 'bellhop.db')
    fillUp(file)
    const child = Bun.spawn([...PROGRAM, 'serve'], {
      env: { BELLHOP_DATA: folder, PORT: '0', BELLHOP_LOG: 'error' },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    while (!hasCome(folder) && !isUpgraded(folder)) {
      expect(child.exitCode).toBeNull()
      await Bun.sleep(0)
    }
    child.kill('SIGKILL')
    await child.exited
    const { version, ...rest } = stateOf(file)
    expect([moment, { version, ...rest }]).toEqual([moment, state(version === 1 ? 1 : NEWEST)])

    await using server = await startProgram({ BELLHOP_DATA: folder, BELLHOP_LOG: 'error' })
    expect(await server.end('SIGTERM')).toBe(0)
    expect(stateOf(file)).toEqual(state(NEWEST))
    expect(readdirSync(join(folder, COPIES))).toEqual(['bellhop-1.db'])
    expect(stateOf(join(folder, COPIES, 'bellhop-1.db'))).toEqual(state(1))
  }
})

/** Makes the copy of a database take long enough to be killed in its middle. */
function fillUp(file: string): void {
  using database = new Database(file)
  database.run('create table filler (bytes blob)')
  const insert = database.query('insert into filler values (randomblob(?))')
  database.transaction(() => {
    for (let bytes = 0; bytes < FILLER_BYTES; bytes += 65_536) insert.run(65_536)
  })()
}

/** Sizes of the files in the folder of copies. */
function copies(folder: string): number[] {
  const place = join(folder, COPIES)
  if (!existsSync(place)) return []
  return readdirSync(place).map((name) => statSync(join(place, name), { throwIfNoEntry: false })?.size ?? 0)
}

function isUpgraded(folder: string): boolean {
  using database = new Database(join(folder, 'bellhop.db'), { readonly: true })
  // The program may be opening or closing it.
  database.run('PRAGMA busy_timeout = 5000')
  return database.query('select 1 from bellhop_migrations where version = ?').get(NEWEST) !== null
}

test('a program refuses data of a newer version in one sentence, and changes nothing', async () => {
  const made = (await unpackOld()).folder
  const future = { name: 'future', sql: 'create table future (id text)' }
  migrateSqlite(join(made, 'bellhop.db'), 1, [...MIGRATIONS.sqlite, future])
  using database = new Database(join(made, 'bellhop.db'))
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  // A copy, because connections of this process may still work on their file when their statements are garbage collected.
  const folder = temporaryFolder('newer')
  for (const name of ['bellhop.db', 'secret.key']) cpSync(join(made, name), join(folder, name))
  const file = join(folder, 'bellhop.db')
  const before = readFileSync(file)
  const sentence = `The data is at version ${NEWEST + 1}, but this program only supports ${NEWEST}. Start the newer program.\n`
  for (const args of [['serve'], ['org', 'list'], ['key', 'create', '--org', 'x']]) {
    const refused = await runProgram({ BELLHOP_DATA: folder, PORT: '0' }, args)
    expect([args, refused]).toEqual([args, { code: 1, out: '', err: sentence }])
  }
  expect(readFileSync(file)).toEqual(before)
})
