import { organizations } from '../../database/tables/organizations.ts'
import { undoSecondsIn } from '../../messages/sends/undo-seconds.ts'
import type { Channel, Way } from '../channel.ts'
import { findEmailSettings } from '../email/outbound/queries.ts'

/** Customers of an integration, which gets replies by webhook, or by email as well when the organization wants that. */
export const apiChannel: Channel = {
  kind: 'api',
  name: 'the API',
  isByAddress: true,
  async way(deps, read, { orgId, mailboxId }, customer) {
    if (customer.email === null) return BY_WEBHOOK
    const [settings] = await findEmailSettings(read, { orgId })
    if (!settings?.emailsApiTickets) return BY_WEBHOOK
    return deps.channels.byAddress.wayThrough(read, orgId, mailboxId)
  },
  undoSeconds: undoSecondsIn('api', organizations.undoApiSeconds),
}

const BY_WEBHOOK: Way = {
  by: 'api',
  destination: async () => ({}),
  plan: async () => ({ sending: 'sent', sendError: null, sentBy: 'webhook', email: null, sends: [] }),
}
