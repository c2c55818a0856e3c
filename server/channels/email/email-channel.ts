import { eq } from 'drizzle-orm'
import type { Reader, Transaction } from '../../database/database.ts'
import { statement, text } from '../../database/statement.ts'
import { knownMails, mailboxes, mails } from '../../database/tables/mailboxes.ts'
import { organizations } from '../../database/tables/organizations.ts'
import { AppError } from '../../errors.ts'
import { undoSecondsIn } from '../../messages/sends/undo-seconds.ts'
import type { AddressChannel, AddressWay, ReplyDestination, Sending, SendingTicket } from '../channel.ts'
import { isByEmail, recipientsOfEmail } from './outbound/email-content.ts'
import {
  type EmailWay,
  emailWay,
  labelOf,
  mailboxProblem,
  NO_MAILBOX,
  reasonToWait,
} from './outbound/email-way.ts'
import { NO_RECIPIENT, planEmail } from './outbound/plan-email.ts'
import { planNotice } from './outbound/plan-notice.ts'
import { findReceivingMailboxes, type Mailbox } from './outbound/queries.ts'
import { requireRecipients, suggestRecipients } from './outbound/recipients.ts'
import { resendEmail } from './outbound/send-again.ts'

const MINUTE_MS = 60_000

const sending: Sending = {
  // Many mail servers allow few connections.
  maxAtOnce: 4,
  // Greylisting usually ends within 5 minutes.
  firstDelaysMs: [1, 5, 15, 30].map((minutes) => minutes * MINUTE_MS),
  async findAccount(read, id) {
    const [mailbox] = await findMailbox(read, { id })
    return (
      mailbox && {
        ...mailbox,
        label: labelOf(mailbox),
        waits: reasonToWait(mailbox),
        saveHealth: async (tx, change) => {
          await tx.update(mailboxes).set(change).where(eq(mailboxes.id, id))
        },
      }
    )
  },
  recipientsOf: (send) => (isByEmail(send) ? recipientsOfEmail(send.content) : []),
  namesRecipients: true,
  async openTransport(deps) {
    const [{ createEmailTransport }, { createMailDialer }] = await Promise.all([
      import('./outbound/email-transport.ts'),
      import('./mail-account.ts'),
    ])
    return createEmailTransport(deps, { clock: deps.clock, dialer: createMailDialer(deps) })
  },
  resend: resendEmail,
}

export const emailChannel: AddressChannel = {
  kind: 'email',
  name: 'email',
  isByAddress: true,
  way: (_, read, { orgId, mailboxId }) => emailChannel.wayThrough(read, orgId, mailboxId),
  wayThrough: async (read, orgId, mailboxId) => wayOf(await emailWay(read, orgId, mailboxId)),
  undoSeconds: undoSecondsIn('email', organizations.undoEmailSeconds),
  sending,
  accounts: mailboxes,
  rowsOfMessages: [mails, knownMails],
  async start(deps) {
    const { startEmail } = await import('./start-email.ts')
    return startEmail(deps)
  },
}

function wayOf(way: EmailWay): AddressWay {
  const { mailbox, own } = way
  return {
    by: 'email',
    mailbox,
    own,
    requireMailbox() {
      if (!mailbox) throw new AppError(409, 'no_transport', NO_MAILBOX)
      return mailbox
    },
    requireRecipients: (chosen, pointer) => requireRecipients(chosen, own, pointer),
    planNotice: (deps, notice) => mailbox && planNotice(deps, notice, mailbox),
    plan: (deps, tx, outgoing) => planEmail(deps, tx, outgoing, way),
    destination: (_, read, ticket, customer) => destinationOf(read, { ticket, customer, way }),
  }
}

async function destinationOf(
  read: Reader,
  of: { ticket: SendingTicket; customer: { name: string; email: string | null }; way: EmailWay },
): Promise<Omit<ReplyDestination, 'by' | 'undoSeconds'>> {
  const { ticket, customer } = of
  const { mailbox, mailboxes: connected, own } = of.way
  const recipients = await suggestRecipients(read, {
    orgId: ticket.orgId,
    ticketId: ticket.id,
    customer,
    own,
  })
  if (!mailbox) return { recipients, problem: { reason: NO_MAILBOX, effect: 'fails', setting: 'email' } }
  const { id, name, address } = mailbox
  const through = {
    recipients,
    mailbox: { id, name, address },
    ...(connected.length > 1 && { mailboxes: await mailboxChoices(read, ticket, connected) }),
  }
  const problem = mailboxProblem(mailbox)
  if (problem) return { ...through, problem }
  if (recipients.to.length > 0) return through
  return { ...through, problem: { reason: NO_RECIPIENT, effect: 'fails' } }
}

async function mailboxChoices(
  read: Reader,
  { orgId, id: ticketId }: SendingTicket,
  connected: Mailbox[],
): Promise<ReplyDestination['mailboxes']> {
  const received = await findReceivingMailboxes(read, { orgId, ticketId })
  return connected.map(({ id, address }) => ({
    id,
    address,
    hasReceived: received.some(({ mailboxId }) => mailboxId === id),
  }))
}

const findMailbox = statement('sends_mailbox', { id: text }, (read: Reader | Transaction, p) =>
  read
    .select({
      id: mailboxes.id,
      orgId: mailboxes.orgId,
      address: mailboxes.address,
      state: mailboxes.state,
      sendError: mailboxes.sendError,
      receiveFailingSince: mailboxes.receiveFailingSince,
      deletedAt: mailboxes.deletedAt,
      updatedAt: mailboxes.updatedAt,
    })
    .from(mailboxes)
    .where(eq(mailboxes.id, p.id)),
)
