import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../folder.ts'
import { reservePort, waitForPort } from '../mail/ports.ts'
import { unprivilegedUser } from '../postgres.ts'

export const PGBOUNCER = '/usr/sbin/pgbouncer'

/**
 * PgBouncer before a database. In transaction mode, a connection is another one after each transaction, in
 * statement mode after each statement.
 */
export async function startPgBouncer(
  database: string,
  mode: 'session' | 'transaction' | 'statement',
): Promise<AsyncDisposable & { url: string }> {
  const folder = temporaryFolder('pgbouncer')
  const { hostname, port, username, pathname } = new URL(database)
  const own = reservePort()
  const users = join(folder, 'users')
  writeFileSync(users, `"${username}" ""\n`)
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${own}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
default_pool_size = 100
max_client_conn = 500
logfile = ${folder}/log
`,
  )
  const user = unprivilegedUser(folder, users, file)
  const child = Bun.spawn([...user, PGBOUNCER, '--quiet', file], { stdio: ['ignore', 'ignore', 'ignore'] })
  await waitForPort(own, () => child.exitCode !== null)
  return {
    url: `postgres://${username}@127.0.0.1:${own}${pathname}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}
