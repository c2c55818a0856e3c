import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { and, desc, eq, ne } from 'drizzle-orm'
import type { Channel, Outgoing, PlannedSends, Send, Sending, Way } from '../../../server/channels/channel.ts'
import { upsertCustomerByIdentity } from '../../../server/customers/customers.ts'
import type { Transaction } from '../../../server/database/database.ts'
import { customerIdentities } from '../../../server/database/tables/customers.ts'
import { organizations } from '../../../server/database/tables/organizations.ts'
import { tickets } from '../../../server/database/tables/tickets.ts'
import type { Deps } from '../../../server/deps.ts'
import { startPeriodic } from '../../../server/jobs/pruning.ts'
import { pausedSentence } from '../../../server/messages/sends/account-health.ts'
import { waitingSend } from '../../../server/messages/sends/plan-sends.ts'
import { receiveCustomerMessage } from '../../../server/tickets/receive-message.ts'
import { openTicket } from '../../../server/tickets/tickets.ts'

// A channel of its own, as small as one can be: messages are files. What lies in `in` arrives, what is sent goes to `out`.
// The file `paused` pauses it, `unreachable` makes every attempt fail, and `blocked-NAME` makes NAME refuse messages.

declare module '../../../server/channels/kinds.ts' {
  interface ChannelKinds {
    folder: true
  }
}

declare module '../../../server/database/tables/sends.ts' {
  interface SendContents {
    folder: { person: string; text: string }
  }
}

export interface ArrivingFile {
  from: string
  text: string
}

const ACCOUNT = 'folder'
const EVERY_MS = 50

export function createFolderChannel(root: string): Channel {
  const [incoming, outgoing] = [join(root, 'in'), join(root, 'out')]
  for (const folder of [incoming, outgoing]) mkdirSync(folder, { recursive: true })
  const is = (state: string) => existsSync(join(root, state))
  const label = `folder ${root}`
  const waits = () => (is('paused') ? pausedSentence(label) : undefined)

  const sending: Sending = {
    maxAtOnce: 1,
    firstDelaysMs: [100, 100, 100],
    async findAccount(read) {
      const [organization] = await read.select({ id: organizations.id }).from(organizations).limit(1)
      return (
        organization && {
          id: ACCOUNT,
          orgId: organization.id,
          label,
          waits: waits(),
          sendError: '',
          receiveFailingSince: null,
          deletedAt: null,
          updatedAt: 0,
          saveHealth: async () => {},
        }
      )
    },
    recipientsOf: (send) => [contentOf(send).person],
    namesRecipients: true,
    async openTransport() {
      return {
        async attempt(send, [person = '']) {
          if (is('unreachable'))
            return { outcomes: [], error: 'The folder is unreachable.', fault: 'account' }
          if (is(`blocked-${person}`)) {
            const refused = { address: person, state: 'failed' as const, detail: `${person} reads no files.` }
            return { outcomes: [refused], error: '', fault: 'none' }
          }
          // No one reads half of it.
          const file = join(outgoing, `${send.id}.json`)
          writeFileSync(`${outgoing}.part`, JSON.stringify(contentOf(send)))
          renameSync(`${outgoing}.part`, file)
          return { outcomes: [{ address: person, state: 'sent', detail: '' }], error: '', fault: 'none' }
        },
        async close() {},
      }
    },
    async resend() {
      throw new Error('A file is not sent again.')
    },
  }

  const way: Way = {
    by: 'folder',
    destination: async () => {
      const reason = waits()
      return reason === undefined ? {} : { problem: { reason, effect: 'waits', setting: 'folder' } }
    },
    plan: async (deps, tx, written) => planFile(deps, tx, { ...written, waits: waits() }),
  }

  return {
    kind: 'folder',
    name: 'a folder',
    isByAddress: false,
    way: async () => way,
    undoSeconds: async () => 0,
    sending,
    accounts: organizations,
    start: async (deps) =>
      startPeriodic(deps, 'folder', {
        everyMs: EVERY_MS,
        slice: async () => {
          for (const name of is('paused') ? [] : readdirSync(incoming).sort()) {
            const file: ArrivingFile = JSON.parse(readFileSync(join(incoming, name), 'utf8'))
            await deps.database.write(undefined, (tx) => receiveFile(deps, tx, file))
            renameSync(join(incoming, name), join(root, name))
          }
          return false
        },
      }),
  }
}

/** Continues the unresolved ticket of its writer, or opens one. */
async function receiveFile(deps: Deps, tx: Transaction, { from, text }: ArrivingFile): Promise<void> {
  const [organization] = await tx.select({ id: organizations.id }).from(organizations).limit(1)
  if (!organization) return
  const { id: orgId } = organization
  const customer = await upsertCustomerByIdentity(deps, tx, orgId, {
    channel: 'folder',
    externalId: from,
    name: from,
  })
  const isTheirs = and(eq(tickets.orgId, orgId), eq(tickets.customerId, customer.id))
  const [ticket] = await tx
    .select({ id: tickets.id })
    .from(tickets)
    .where(and(isTheirs, ne(tickets.status, 'resolved')))
    .orderBy(desc(tickets.id))
    .limit(1)
  if (ticket) await receiveCustomerMessage(deps, tx, orgId, { ticketId: ticket.id, text })
  else {
    await openTicket(deps, tx, orgId, { channel: 'folder', subject: text, customer, message: { text } })
  }
}

async function planFile(
  deps: Deps,
  tx: Transaction,
  { ticket, message, waits }: Outgoing & { waits: string | undefined },
): Promise<PlannedSends> {
  const [writer] = await tx
    .select({ person: customerIdentities.externalId })
    .from(tickets)
    .innerJoin(
      customerIdentities,
      and(
        eq(customerIdentities.customerId, tickets.customerId),
        eq(customerIdentities.orgId, tickets.orgId),
        eq(customerIdentities.channel, 'folder'),
      ),
    )
    .where(and(eq(tickets.orgId, ticket.orgId), eq(tickets.id, ticket.id)))
  const send = waitingSend(deps, {
    orgId: ticket.orgId,
    ticketId: ticket.id,
    messageId: message.id,
    channel: 'folder',
    laneId: ACCOUNT,
    conversation: ticket.id,
    content: { person: writer?.person ?? '', text: message.text },
    waits,
    createdAt: message.createdAt,
  })
  return { sending: 'queued', sendError: waits ?? null, sentBy: 'folder', email: null, sends: [send] }
}

function contentOf({ content }: Send): { person: string; text: string } {
  if ('person' in content) return content
  throw new Error('This is not a file.')
}
