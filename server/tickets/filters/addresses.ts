import { ownerOf } from '../../customers/customers.ts'
import type { Reader } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { statement, text } from '../../database/statement.ts'
import { agents } from '../../database/tables/agents.ts'

/** The id of the agent with this address. Anything else stays as it is. */
export async function agentIdOf(read: Reader, orgId: string, idOrAddress: string): Promise<string> {
  if (!idOrAddress.includes('@')) return idOrAddress
  const [agent] = await agentByAddress(read, { orgId, emailKey: idOrAddress.toLowerCase() })
  return agent?.id ?? idOrAddress
}

/** The same of the customer who has it as their first or another address. */
export async function customerIdOf(read: Reader, orgId: string, idOrAddress: string): Promise<string> {
  if (!idOrAddress.includes('@')) return idOrAddress
  return (await ownerOf(read, orgId, idOrAddress))?.id ?? idOrAddress
}

const agentByAddress = statement('agents_by_address', { orgId: text, emailKey: text }, (read: Reader, p) =>
  read.select({ id: agents.id }).from(agents).where(matches(agents, p)),
)
