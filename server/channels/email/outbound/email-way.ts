import type { Reader, Transaction } from '../../../database/database.ts'
import { pausedSentence } from '../../../messages/sends/account-health.ts'
import type { ReplyProblem } from '../../channel.ts'
import { type OwnAddresses, ownAddresses } from '../own-addresses.ts'
import { findMailboxes, type Mailbox } from './queries.ts'

export const NO_MAILBOX = 'No mailbox is connected.'

export interface EmailWay {
  mailbox: Mailbox | undefined
  /** All that are connected. */
  mailboxes: Mailbox[]
  own: OwnAddresses
}

/** Through this mailbox if it is connected, else through the default one. */
export async function emailWay(
  read: Reader | Transaction,
  orgId: string,
  mailboxId: string,
): Promise<EmailWay> {
  const mailboxes = await findMailboxes(read, { orgId })
  const mailbox =
    mailboxes.find(({ id }) => id === mailboxId) ??
    mailboxes.find(({ isDefault }) => isDefault) ??
    mailboxes[0]
  return { mailbox, mailboxes, own: ownAddresses(mailboxes) }
}

/** As a sentence names it. */
export function labelOf({ address }: { address: string }): string {
  return `mailbox ${address}`
}

/** Why emails through this mailbox wait; undefined when they don't. */
export function reasonToWait(mailbox: Pick<Mailbox, 'address' | 'state'>): string | undefined {
  switch (mailbox.state) {
    case 'active':
      return undefined
    case 'paused':
      return pausedSentence(labelOf(mailbox))
    case 'refused':
      return `Sign-in to the ${labelOf(mailbox)} was refused. An administrator has to reconnect it.`
  }
}

export function mailboxProblem(
  mailbox: Pick<Mailbox, 'id' | 'address' | 'state' | 'signIn'>,
): ReplyProblem | undefined {
  const reason = reasonToWait(mailbox)
  if (reason === undefined) return undefined
  const connect = mailbox.signIn === 'password' ? 'reconnect' : 'sign_in'
  const fix = { id: mailbox.id, by: mailbox.state === 'paused' ? ('resume' as const) : connect } as const
  return { reason, effect: 'waits', setting: 'email', fix }
}
