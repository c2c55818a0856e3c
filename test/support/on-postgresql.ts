import { postgresPrograms, startCluster } from './postgres.ts'
import { postgresqlFaults, postgresqlTests } from './postgresql-tests.ts'
import { endTests } from './token-leaks.ts'

// Runs a command on PostgreSQL, such as `bun test test/v1`. One private cluster serves all test processes, and every test
// has its own database there (`freshPlace`). A `bun test` without files runs those that depend on the database; `bun test
// faults` those of test/faults.
// Usage: bun test/support/on-postgresql.ts COMMAND

const programs = postgresPrograms()
if (!programs) {
  console.warn('PostgreSQL is not installed: the suite ran on SQLite only. (bun run programs)')
  process.exit(process.env.CI ? 1 : 0)
}
const cluster = await startCluster(programs)
const given = process.argv.slice(2)
if (given.at(-1) === 'faults') given.splice(-1, 1, ...postgresqlFaults())
else if (given[1] === 'test' && given.slice(2).every((word) => word.startsWith('-')))
  given.push(...postgresqlTests())
const command = Bun.spawn(given, {
  env: { ...process.env, TEST_CLUSTER: cluster.address },
  stdio: ['inherit', 'inherit', 'inherit'],
})
const code = await command.exited
await cluster.stop()
endTests()
process.exit(code)
