import { removeTemporaryFolders } from './folder.ts'
import { postgresPrograms, startCluster } from './postgres.ts'

// Runs a command, such as `bun test --parallel=2 …`, on PostgreSQL: one private cluster serves all test processes of the
// run, and every test gets a database of its own there (`freshPlace`). Usage: bun test/support/on-postgresql.ts COMMAND

const programs = postgresPrograms()
if (!programs) {
  console.warn('PostgreSQL is not installed: the suite ran on SQLite only. (bun run programs)')
  process.exit(process.env.CI ? 1 : 0)
}
const cluster = await startCluster(programs)
const command = Bun.spawn(process.argv.slice(2), {
  env: { ...process.env, BELLHOP_TEST_CLUSTER: cluster.address },
  stdio: ['inherit', 'inherit', 'inherit'],
})
const code = await command.exited
await cluster.stop()
removeTemporaryFolders()
process.exit(code)
