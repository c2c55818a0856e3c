import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { upsertCustomer } from '../../../server/customers/customers.ts'
import type { MessageAuthor, MessageEmail } from '../../../server/database/tables/messages.ts'
import { sends } from '../../../server/database/tables/sends.ts'
import { createId } from '../../../server/ids.ts'
import { receiveCustomerMessage } from '../../../server/tickets/receive-message.ts'
import { openTicket } from '../../../server/tickets/tickets.ts'
import { type SignedInAgent, signInAgent } from '../agents.ts'
import { type Bellhop, type Client, startBellhop } from '../bellhop.ts'
import { writeCaFile } from '../certificates.ts'
import type { ManualClock } from '../clock.ts'
import { newMailbox } from '../mailboxes.ts'
import { type EntryJson, readThread, replyPath } from '../threads.ts'
import { eventually } from '../webhooks.ts'
import { type SmtpFaults, startSmtpFaults } from './smtp-faults.ts'

const LOOK_EVERY_MS = 50
const PASSWORD = 'correct horse'
const STARTED_AFTER_MS = 500

/** An organization that sends through a mail server of the tests. */
export interface Outgoing extends AsyncDisposable {
  bellhop: Bellhop
  acme: Client
  /** An administrator. */
  ben: SignedInAgent
  smtp: SmtpFaults
  /** Connects another mailbox, through the same server by default. Returns its id. */
  mailbox(given?: {
    address?: string
    name?: string
    smtp?: SmtpFaults
    [more: string]: unknown
  }): Promise<string>
  /** A ticket that a customer opened by email. Returns its id. */
  ticket(given?: ReceivedMail): Promise<string>
  /** A further mail of a customer on a ticket. */
  receive(ticketId: string, given?: ReceivedMail): Promise<string>
  /** An agent's message, as the API posts it. Returns its id. */
  reply(ticketId: string, text: string): Promise<string>
  /** An agent's message, as the page sends it. Returns its id. */
  put(ticketId: string, body: object): Promise<string>
  /** The message as the thread shows it. */
  message(ticketId: string, messageId: string): Promise<EntryJson>
  /** Waits until the message has this state. */
  until(ticketId: string, messageId: string, sending: string): Promise<EntryJson>
}

interface ReceivedMail extends Partial<MessageEmail> {
  text?: string
  mailboxId?: string
  isAutomatic?: boolean
  /** The customer by default. */
  author?: MessageAuthor
}

export async function openOutgoing(
  given: { clock?: ManualClock; settings?: Record<string, string>; isConnected?: boolean } = {},
): Promise<Outgoing> {
  const smtp = await startSmtpFaults({ users: { 'support@acme.example': PASSWORD } })
  const settings = {
    BELLHOP_MAIL_ALLOW: '127.0.0.0/8',
    BELLHOP_MAIL_CA: await writeCaFile(),
    ...given.settings,
  }
  const bellhop = await startBellhop({ settings, ...(given.clock && { clock: given.clock }) })
  const acme = await bellhop.organization()
  const ben = await signInAgent(bellhop, acme.orgId, { role: 'admin' })
  const { deps } = bellhop

  const outgoing: Outgoing = {
    bellhop,
    acme,
    ben,
    smtp,
    async mailbox({ smtp: other = smtp, address = 'support@acme.example', ...more } = {}) {
      const server = { host: other.host, port: other.tlsPort, security: 'tls' as const }
      const body = newMailbox({
        address,
        smtp: { ...server, user: 'support@acme.example', password: PASSWORD },
        ...more,
      })
      const answer = await ben.call<{ id: string }>('POST', '/console/mailboxes', { body })
      expect(answer.status, answer.text).toBe(201)
      // What sends is started a moment after the first mailbox is connected.
      given.clock?.advance(STARTED_AFTER_MS)
      return answer.json.id
    },
    async ticket({ text = 'Where is my parcel?', mailboxId = '', isAutomatic = false, ...given } = {}) {
      const email = receivedEmail(given)
      return deps.database.write(undefined, async (tx) => {
        const customer = await upsertCustomer(deps, tx, acme.orgId, {
          name: email.from.name,
          email: email.from.address,
        })
        const { id } = await openTicket(deps, tx, acme.orgId, {
          channel: 'email',
          subject: email.subject,
          customer,
          message: { text, email, isAutomatic },
          mailboxId,
        })
        return id
      })
    },
    async receive(
      ticketId,
      { text = 'Thank you.', isAutomatic = false, author = 'customer', mailboxId: _, ...given } = {},
    ) {
      const received = { ticketId, text, isAutomatic, author, email: receivedEmail(given) }
      return deps.database.write(undefined, async (tx) => {
        const { message } = await receiveCustomerMessage(deps, tx, acme.orgId, received)
        return message.id
      })
    },
    async reply(ticketId, text) {
      const answer = await ben.call<{ id: string }>('POST', `/v1/tickets/${ticketId}/messages`, {
        body: { text },
      })
      expect(answer.status, answer.text).toBe(201)
      return answer.json.id
    },
    async put(ticketId, body) {
      const id = createId('msg', ben.now())
      const answer = await ben.call('PUT', replyPath(ticketId, id), { body })
      expect(answer.status, answer.text).toBe(201)
      return id
    },
    async message(ticketId, messageId) {
      const { timeline } = await readThread(ben, ticketId)
      const found = timeline.find(({ id }) => id === messageId)
      if (!found) throw new Error(`The thread has no message ${messageId}.`)
      return found
    },
    async until(ticketId, messageId, sending) {
      let last: EntryJson | undefined
      await eventually(async () => {
        last = await outgoing.message(ticketId, messageId)
        if (last.sending === sending) return true
        // Sessions have a rate limit, and some of these waits are long on a busy machine.
        await Bun.sleep(LOOK_EVERY_MS)
        return false
      })
      if (!last) throw new Error('unreachable')
      return last
    },
    async [Symbol.asyncDispose]() {
      await bellhop.stop()
      await smtp.stop()
    },
  }
  if (given.isConnected ?? true) await outgoing.mailbox()
  return outgoing
}

/** The stored sends of a message. */
export function sendsOf({ bellhop }: Pick<Outgoing, 'bellhop'>, messageId: string) {
  return bellhop.deps.database.read.select().from(sends).where(eq(sends.messageId, messageId))
}

let received = 0

function receivedEmail(given: Partial<MessageEmail>): MessageEmail {
  received += 1
  return {
    from: { name: 'Ana Pires', address: 'ana@example.com' },
    replyTo: [],
    to: [{ name: '', address: 'support@acme.example' }],
    cc: [],
    subject: 'My parcel',
    messageId: `mail-${received}@example.com`,
    references: [],
    ...given,
  }
}
