import { SQL } from 'bun'
import { makeWorkspace, postgresTicketsSql } from './workspace.ts'

// Makes a workspace with tickets in the PostgreSQL database of DATABASE_URL, and writes it as JSON. A process of its own,
// because a process has one engine.
// Usage: bun test/bench/postgres-workspace.ts TICKETS

const { folder, orgId, key } = await makeWorkspace()
const client = new SQL(process.env.DATABASE_URL ?? '', { max: 1 })
await client.unsafe(postgresTicketsSql(orgId, Number(process.argv[2])))
await client.close()
process.stdout.write(JSON.stringify({ folder, key }))
