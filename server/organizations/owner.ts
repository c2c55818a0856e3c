import { eq } from 'drizzle-orm'
import { agents } from '../database/tables/agents.ts'
import { apiKeys } from '../database/tables/api-keys.ts'
import { bots } from '../database/tables/bots.ts'
import { mailboxes } from '../database/tables/mailboxes.ts'
import { deliveries, endpoints } from '../database/tables/webhooks.ts'
import { widgets } from '../database/tables/widgets.ts'
import type { Deps } from '../deps.ts'
import { notFound } from '../errors.ts'
import { isId } from '../ids.ts'

/**
 * Finds the organization that owns an agent, API key, endpoint, delivery, mailbox, widget or bot. Only for commands: they may
 * access every organization. Throws 404.
 */
export async function findOwner(deps: Deps, id: string): Promise<string> {
  const [owner] = await rowsWith(deps, id)
  if (!owner) throw notFound('agent, API key, endpoint, delivery, mailbox, widget or bot')
  return owner.orgId
}

async function rowsWith({ database: { read } }: Deps, id: string): Promise<{ orgId: string }[]> {
  if (isId('dlv', id)) {
    return read.select({ orgId: deliveries.orgId }).from(deliveries).where(eq(deliveries.id, id))
  }
  if (isId('whe', id)) {
    return read.select({ orgId: endpoints.orgId }).from(endpoints).where(eq(endpoints.id, id))
  }
  if (isId('key', id)) return read.select({ orgId: apiKeys.orgId }).from(apiKeys).where(eq(apiKeys.id, id))
  if (isId('agt', id)) return read.select({ orgId: agents.orgId }).from(agents).where(eq(agents.id, id))
  if (isId('mbx', id)) {
    return read.select({ orgId: mailboxes.orgId }).from(mailboxes).where(eq(mailboxes.id, id))
  }
  if (isId('wgt', id)) return read.select({ orgId: widgets.orgId }).from(widgets).where(eq(widgets.id, id))
  if (isId('bot', id)) return read.select({ orgId: bots.orgId }).from(bots).where(eq(bots.id, id))
  return []
}
