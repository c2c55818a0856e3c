import { isDeepStrictEqual } from 'node:util'
import { and, eq, isNull, ne } from 'drizzle-orm'
import { addressKey, baseKey } from '../../../customers/email-addresses.ts'
import type { Transaction } from '../../../database/database.ts'
import { matches } from '../../../database/matches.ts'
import { mailboxes } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { retryLane } from '../../../messages/sends/claim-sends.ts'
import { accountsOf } from '../../accounts/accounts.ts'
import { requireAssignee } from '../../accounts/default-assignee.ts'
import {
  changedRow,
  changedSettings,
  type Mailbox,
  type MailboxChange,
  type NewMailbox,
  newRow,
} from './mailbox-rows.ts'

export const mailboxAccounts = accountsOf<Mailbox, 'mailbox'>({
  noun: 'mailbox',
  prefix: 'mbx',
  table: mailboxes,
  select: (read, where) => read.select().from(mailboxes).where(where),
  update: (tx, set, where) => tx.update(mailboxes).set(set).where(where).returning(),
  labelOf: ({ address }) => address,
  changedFields: changedSettings,
})
export const listMailboxes = mailboxAccounts.list
export const readMailbox = mailboxAccounts.read

/**
 * Connects a mailbox. The first of an organization becomes its default. One that signs in at a provider waits for that.
 * Throws 400 with every fault, and 409 when another mailbox has the address.
 */
export async function createMailbox(deps: Deps, orgId: string, input: NewMailbox): Promise<Mailbox> {
  const row = newRow(deps, orgId, input)
  return deps.database.write(orgId, async (tx) => {
    recordWorkspaceChange(deps, tx, orgId)
    await requireAssignee(tx, orgId, row.defaultAssignee)
    await requireFreeAddress(tx, orgId, row)
    const isDefault = row.isDefault || !(await findDefault(tx, orgId))
    if (isDefault) await clearDefault(tx, orgId)
    const [made] = await tx
      .insert(mailboxes)
      .values({ ...row, isDefault })
      .onConflictDoNothing()
      .returning()
    if (!made) throw addressTaken(row.address)
    await mailboxAccounts.recordCreated(deps, tx, made)
    return made
  })
}

/**
 * Changes the given fields. A password stays with its server: with another host or user it must be given again, and a
 * mailbox that signs in at a provider must sign in again. Throws 404, 400 with every fault, and 409 for a taken address.
 */
export function updateMailbox(
  deps: Deps,
  orgId: string,
  { id, change }: { id: string; change: MailboxChange },
): Promise<Mailbox> {
  return mailboxAccounts.change(deps, orgId, { id, action: 'mailbox.changed' }, async (tx, before) => {
    const after = changedRow(deps, before, change)
    await requireAssignee(tx, orgId, after.defaultAssignee, before.defaultAssignee)
    if (after.addressKey !== before.addressKey) await requireFreeAddress(tx, orgId, after)
    if (changedSettings({ before, after }).length === 0) return before
    if (!sendsOtherwise(before, after)) return mailboxAccounts.save(tx, before, after)
    // Earlier failures say nothing about the new settings.
    await retryLane(tx, id, deps.clock.now())
    return mailboxAccounts.save(tx, before, { ...after, sendError: '', sendFailingSince: null })
  })
}

/** Whether messages leave through another server, or with another sign-in. */
function sendsOtherwise(before: Mailbox, after: Mailbox): boolean {
  const settings = ({ smtp, imapPassword, smtpPassword }: Mailbox) => [smtp, imapPassword, smtpPassword]
  return !isDeepStrictEqual(settings(before), settings(after))
}

/** `support+x@…` is delivered to `support@…`, and replies use such addresses. So only one of them can be a mailbox. */
async function requireFreeAddress(
  tx: Transaction,
  orgId: string,
  { id, address }: Pick<Mailbox, 'id' | 'address'>,
): Promise<void> {
  const key = addressKey(address)
  const others = await tx
    .select({ address: mailboxes.address, key: mailboxes.addressKey })
    .from(mailboxes)
    .where(and(eq(mailboxes.orgId, orgId), ne(mailboxes.id, id), isNull(mailboxes.deletedAt)))
  for (const other of others) {
    if (other.key === key) throw addressTaken(address)
    if (other.key === baseKey(key)) throw subaddress(address, other.address)
    if (other.key !== null && baseKey(other.key) === key) throw subaddress(other.address, address)
  }
}

async function findDefault(tx: Transaction, orgId: string): Promise<boolean> {
  const isDefault = matches(mailboxes, { orgId, isDefault: true })
  const [found] = await tx.select({ id: mailboxes.id }).from(mailboxes).where(isDefault)
  return found !== undefined
}

export async function clearDefault(tx: Transaction, orgId: string): Promise<void> {
  await tx
    .update(mailboxes)
    .set({ isDefault: false })
    .where(and(eq(mailboxes.orgId, orgId), ne(mailboxes.isDefault, false)))
}

function subaddress(address: string, of: string): AppError {
  const detail = `Mail to ${address} is delivered to ${of}, so only one of them can be a mailbox.`
  return new AppError(409, 'mailbox_exists', detail)
}

function addressTaken(address: string): AppError {
  const detail = `There is already a mailbox with the address ${address}.`
  return new AppError(409, 'mailbox_exists', detail)
}
