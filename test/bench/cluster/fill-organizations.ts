import { SQL } from 'bun'
import { createApiKey } from '../../../server/api-keys/api-keys.ts'
import { readConfig } from '../../../server/config.ts'
import { createLog } from '../../../server/log.ts'
import { openDeps } from '../../../server/open-deps.ts'
import { createOrganization } from '../../../server/organizations/organizations.ts'
import { signInAgent } from '../../support/agents.ts'
import { postgresTicketsSql } from '../workspace.ts'
import type { Tenant } from './bench-nodes.ts'

// Makes organizations in the database of the settings, the first of them with tickets, and writes them as JSON. A process of
// its own, because a process has one engine.
// Usage: bun test/bench/cluster/fill-organizations.ts ORGANIZATIONS TICKETS

const [howMany = 0, tickets = 0] = process.argv.slice(2).map(Number)
const config = readConfig(process.env)
const deps = await openDeps(config, { log: createLog('error', false, () => {}, Date.now) })
const tenants: Tenant[] = []
for (let number = 0; number < howMany; number += 1) {
  const { id: orgId } = await createOrganization(deps, { name: `Organization ${number}` })
  const wanted = { name: 'Bench', kind: 'secret', rateLimit: 1_000_000 } as const
  const { secret: key } = await createApiKey(deps, orgId, wanted)
  const { cookie } = await signInAgent({ deps, url: '' }, orgId, { role: 'admin' })
  tenants.push({ key, cookie })
  if (number > 0) continue
  const client = new SQL(config.databaseUrl ?? '', { max: 1 })
  await client.unsafe(postgresTicketsSql(orgId, tickets))
  await client.close()
}
await deps.database.close()
process.stdout.write(JSON.stringify(tenants))
