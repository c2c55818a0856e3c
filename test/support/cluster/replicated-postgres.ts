import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { SQL } from 'bun'
import { migratePostgres } from '../../../server/database/postgresql/postgres-migrations.ts'
import { type DatabaseRelay, startDatabaseRelay } from '../database-relay.ts'
import { folderOfProcess, temporaryFolder } from '../folder.ts'
import { reservePort } from '../mail/ports.ts'
import { execute, postgresPrograms, reachable, run, unprivilegedUser, waitUntilReady } from '../postgres.ts'
import { eventually } from '../webhooks.ts'

const DATABASE = 'bellhop'
/** As it calls itself at the primary. */
const STANDBY = 'a'

export interface PostgresServer {
  /** Of the database. */
  address: string
  start(): Promise<void>
  /** As an administrator stops it: connections end. */
  stop(): Promise<void>
  /** As a machine that loses its power. */
  kill(): Promise<void>
  /** Sets the clock that it tells off by so much. */
  setClock(offMs: number): Promise<void>
  /** Each deadlock that it ended, with the statements. */
  deadlocks(): string[]
}

export interface ReplicatedPostgres extends AsyncDisposable {
  primary: PostgresServer
  standby: PostgresServer
  /** What the standby is sent. */
  link: DatabaseRelay
  /** Waits until the standby has what is committed now. */
  catchUp(): Promise<void>
  /** Makes the standby the primary. */
  promote(): Promise<void>
}

export interface Replication {
  /** Whether a commit waits until the standby has it. */
  isSynchronous: boolean
}

/** A primary with a standby, each with a data folder of its own. */
export async function startReplicatedPostgres({ isSynchronous }: Replication): Promise<ReplicatedPostgres> {
  const names = { synchronous_standby_names: `ANY 1 (${STANDBY})` }
  const primary = await createServer(isSynchronous ? names : {})
  const link = startDatabaseRelay(primary.address)
  const { hostname, port } = new URL(link.url)
  const source = `host=${hostname} port=${port} user=postgres application_name=${STANDBY}`
  // By default, a synchronous primary that was away commits nothing for up to 5 seconds, until its standby connects again.
  const follows = { primary_conninfo: source, wal_retrieve_retry_interval: '200ms' }
  const standby = await createServer(follows)
  writeFileSync(join(standby.data, 'standby.signal'), '')
  // A synchronous primary takes connections before the standby is there, and commits nothing.
  await Promise.all([primary.start(), standby.start()])
  return {
    primary,
    standby,
    link,
    async catchUp() {
      await using source = new SQL(primary.address, { max: 1 })
      await using target = new SQL(standby.address, { max: 1 })
      const [{ lsn }] = await source`select pg_current_wal_lsn() as lsn`
      await eventually(async () => {
        const [row] = await target`select pg_last_wal_replay_lsn() >= ${lsn}::pg_lsn as "isThere"`
        return row.isThere
      })
    },
    promote: () => execute(standby.address, 'select pg_promote()'),
    async [Symbol.asyncDispose]() {
      await Promise.all([primary.kill(), standby.kill()])
      link[Symbol.dispose]()
    },
  }
}

/** PostgreSQL's own settings but for these: memory, and what is measured. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  max_connections: 200,
  shared_buffers: '64MB',
  wal_keep_size: '256MB',
  max_wal_size: '512MB',
  autovacuum_naptime: '1s',
  jit: 'off',
  // What asks for the time gets it from `setClock`.
  search_path: 'public, pg_catalog',
}

async function createServer(more: Record<string, string>): Promise<PostgresServer & { data: string }> {
  const programs = requirePrograms()
  const folder = temporaryFolder('postgresql')
  const data = join(folder, 'data')
  cpSync(await template(), data, { recursive: true })
  const port = reservePort()
  const command = serverCommand({ folder, data, port, programs }, more)
  const log = Bun.file(join(folder, 'log'))
  const address = addressOf(port)
  let server: Bun.Subprocess | undefined

  async function end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    const ending = server
    server = undefined
    if (!ending) return
    // Without them, the others would end in their own time.
    const children = signal === 'SIGKILL' ? childrenOf(ending.pid) : []
    ending.kill(signal)
    for (const child of children) killIfThere(child)
    await ending.exited
  }

  return {
    data,
    address,
    async start() {
      server = Bun.spawn(command, { stdio: ['ignore', 'ignore', log] })
      server.unref()
      await waitUntilReady(address)
    },
    stop: () => end('SIGINT'),
    kill: () => end('SIGKILL'),
    setClock: (offMs) => setClock(address, offMs),
    deadlocks: () => readFileSync(join(folder, 'log'), 'utf8').match(DEADLOCK) ?? [],
  }
}

/** It names a character of the statement when that waited for a table. */
const DEADLOCK = /deadlock detected.*\n.*DETAIL: (?:.*\n\t)*.*/g

/** For all who ask, at once. Under `faketime`, the signals of PostgreSQL end it now and then while it reads the time. */
function setClock(address: string, offMs: number): Promise<void> {
  return execute(
    address,
    `create or replace function public.clock_timestamp() returns timestamptz language sql volatile
      as $$ select pg_catalog.clock_timestamp() + interval '${offMs} milliseconds' $$`,
  )
}

let made: Promise<string> | undefined

/** The data folder of a server that has stopped, with a migrated database. Both servers begin with a copy. */
function template(): Promise<string> {
  made ??= makeTemplate()
  return made
}

async function makeTemplate(): Promise<string> {
  const programs = requirePrograms()
  const folder = folderOfProcess('postgresql-template')
  const data = join(folder, 'data')
  mkdirSync(data, { mode: 0o700 })
  const user = unprivilegedUser(folder, data)
  const initdb = [join(programs, 'bin/initdb'), '--pgdata', data, '--username=postgres', '--auth=trust']
  await run([...user, ...initdb, '--locale=C', '--encoding=UTF8', '--no-sync', '--no-instructions'])
  const port = reservePort()
  const server = Bun.spawn(serverCommand({ folder, data, port, programs }, { fsync: 'off' }), {
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const administrator = new URL('/postgres', addressOf(port)).href
  await waitUntilReady(administrator)
  await execute(administrator, `create database ${DATABASE}`)
  await migratePostgres(addressOf(port), 0)
  await setClock(addressOf(port), 0)
  server.kill('SIGINT')
  await server.exited
  return data
}

function serverCommand(
  { folder, data, port, programs }: { folder: string; data: string; port: number; programs: string },
  more: Record<string, string>,
): string[] {
  const settings = { ...SETTINGS, ...more, port, unix_socket_directories: folder }
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const user = unprivilegedUser(folder, ...everythingIn(data))
  return [...user, join(programs, 'bin/postgres'), '-D', data, ...options]
}

function requirePrograms(): string {
  const programs = postgresPrograms()
  if (!programs) throw new Error('PostgreSQL is not installed.')
  return reachable(programs)
}

function addressOf(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/${DATABASE}`
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has already exited.
  }
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
}

function everythingIn(folder: string): string[] {
  return [folder, ...readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name)))]
}
