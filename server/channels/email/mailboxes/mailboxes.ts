import { isDeepStrictEqual } from 'node:util'
import { and, asc, eq, isNull, ne, sql } from 'drizzle-orm'
import { recordAudit } from '../../../audit/audit.ts'
import { addressKey, baseKey } from '../../../customers/email-addresses.ts'
import type { Transaction } from '../../../database/database.ts'
import { agents } from '../../../database/tables/agents.ts'
import { mailboxes } from '../../../database/tables/mailboxes.ts'
import type { Deps } from '../../../deps.ts'
import { AppError, invalid, notFound } from '../../../errors.ts'
import { recordWorkspaceChange } from '../../../events/events.ts'
import { isId } from '../../../ids.ts'
import { retryLane } from '../../../messages/sends/claim-sends.ts'
import {
  changedFields,
  changedRow,
  type Mailbox,
  type MailboxChange,
  type NewMailbox,
  newRow,
} from './mailbox-rows.ts'

/**
 * Connects a mailbox. The first of an organization becomes its default. One that signs in at a provider waits for that.
 * Throws 400 with every fault, and 409 when another mailbox has the address.
 */
export async function createMailbox(deps: Deps, orgId: string, input: NewMailbox): Promise<Mailbox> {
  const row = newRow(deps, orgId, input)
  return deps.database.write(async (tx) => {
    await recordWorkspaceChange(deps, tx, orgId)
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
    const subject = { id: made.id, label: made.address }
    await recordAudit(deps, tx, orgId, { action: 'mailbox.created', subject })
    return made
  })
}

/** Oldest first, without removed ones. */
export function listMailboxes(deps: Deps, orgId: string): Promise<Mailbox[]> {
  return deps.database.read
    .select()
    .from(mailboxes)
    .where(and(eq(mailboxes.orgId, orgId), isNull(mailboxes.deletedAt)))
    .orderBy(asc(mailboxes.createdAt), asc(mailboxes.id))
}

/** Throws 404. */
export async function readMailbox(deps: Deps, orgId: string, id: string): Promise<Mailbox> {
  const [mailbox] = isId('mbx', id)
    ? await deps.database.read.select().from(mailboxes).where(isMailbox(orgId, id))
    : []
  if (!mailbox) throw notFound('mailbox')
  return mailbox
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
  return changeMailbox(deps, orgId, { id, action: 'mailbox.changed' }, async (tx, before) => {
    const after = changedRow(deps, before, change)
    await requireAssignee(tx, orgId, after.defaultAssignee, before.defaultAssignee)
    if (after.addressKey !== before.addressKey) await requireFreeAddress(tx, orgId, after)
    if (changedFields(before, after).length === 0) return before
    if (!sendsOtherwise(before, after)) return save(tx, before, after)
    // Earlier failures say nothing about the new settings.
    await retryLane(tx, id, deps.clock.now())
    return save(tx, before, { ...after, sendError: '', sendFailingSince: null })
  })
}

/**
 * Changes a mailbox with its row locked, after the organization's, and records the change in the audit log unless
 * nothing changed. Throws 404.
 */
export function changeMailbox(
  deps: Deps,
  orgId: string,
  { id, action }: { id: string; action: string },
  change: (tx: Transaction, before: Mailbox) => Promise<Mailbox>,
): Promise<Mailbox> {
  if (!isId('mbx', id)) throw notFound('mailbox')
  return deps.database.write(async (tx) => {
    await recordWorkspaceChange(deps, tx, orgId)
    const before = await lockMailbox(tx, orgId, id)
    if (!before) throw notFound('mailbox')
    const after = await change(tx, before)
    if (after === before) return before
    const fields = changedFields(before, after)
    await recordAudit(deps, tx, orgId, {
      action,
      subject: { id, label: after.address },
      ...(fields.length > 0 && { detail: { fields } }),
    })
    return after
  })
}

/** Undefined for a removed one. */
export async function lockMailbox(tx: Transaction, orgId: string, id: string): Promise<Mailbox | undefined> {
  const [locked] = await tx
    .update(mailboxes)
    .set({ updatedAt: sql`${mailboxes.updatedAt}` })
    .where(isMailbox(orgId, id))
    .returning()
  return locked
}

export async function save(tx: Transaction, before: Mailbox, set: Partial<Mailbox>): Promise<Mailbox> {
  const isIt = and(eq(mailboxes.orgId, before.orgId), eq(mailboxes.id, before.id))
  const [saved] = await tx.update(mailboxes).set(set).where(isIt).returning()
  if (!saved) throw new Error(`The mailbox ${before.id} is missing.`)
  return saved
}

export function isMailbox(orgId: string, id: string) {
  return and(eq(mailboxes.orgId, orgId), eq(mailboxes.id, id), isNull(mailboxes.deletedAt))
}

/** Whether messages leave through another server, or with another sign-in. */
function sendsOtherwise(before: Mailbox, after: Mailbox): boolean {
  const settings = ({ smtp, imapPassword, smtpPassword }: Mailbox) => [smtp, imapPassword, smtpPassword]
  return !isDeepStrictEqual(settings(before), settings(after))
}

/** The default assignee that is already stored may have been disabled since. */
async function requireAssignee(tx: Transaction, orgId: string, id: string, known = ''): Promise<void> {
  if (id === '' || id === known) return
  const isEnabled = and(eq(agents.orgId, orgId), eq(agents.id, id), isNull(agents.disabledAt))
  const [agent] = await tx.select({ id: agents.id }).from(agents).where(isEnabled)
  if (agent) return
  throw invalid([
    {
      pointer: '/defaultAssignee',
      code: 'unknown_agent',
      detail: 'No enabled agent has this id.',
    },
  ])
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
  const isDefault = and(eq(mailboxes.orgId, orgId), eq(mailboxes.isDefault, true))
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
