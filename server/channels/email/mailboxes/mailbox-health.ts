import { and, count, eq, inArray, isNull, min, sql } from 'drizzle-orm'
import { type MailOutcome, mailboxes, mails } from '../../../database/tables/mailboxes.ts'
import { actingAs, type Deps } from '../../../deps.ts'
import type { Loop } from '../../../loop.ts'
import { hasFailedLong, healthOf, recordHealth, startAccountAlerts } from '../../accounts/receiving-health.ts'
import type { Mailbox } from './mailbox-rows.ts'
import { listMailboxes, mailboxAccounts, readMailbox } from './mailboxes.ts'

/** Some servers refuse a good password now and then. */
const MAX_REFUSALS = 3

/** `refused`: nothing happens until an administrator signs in again. */
export const HEALTH_STATES = ['active', 'connecting', 'failing', 'paused', 'refused'] as const
type HealthState = (typeof HEALTH_STATES)[number]

/**
 * Problems that administrators should fix now: mailboxes that were refused, or have failed for ten minutes. Oldest
 * first.
 */
export async function mailboxProblems(deps: Deps, orgId: string): Promise<Mailbox[]> {
  const now = deps.clock.now()
  return (await listMailboxes(deps, orgId)).filter((mailbox) => isProblem(mailbox, now))
}

/** A mailbox that no one has signed in to yet is no problem, but unfinished. */
function isProblem(mailbox: Mailbox, now: number): boolean {
  switch (healthOf(mailbox)) {
    case 'refused':
      return mailbox.signIn === 'password' || mailbox.tokens !== null
    case 'failing':
      return hasFailedLong(mailbox, now)
    default:
      return false
  }
}

/** Has open pages show a banner about each mailbox that has been failing for ten minutes. */
export function startMailboxAlerts(deps: Deps): Loop {
  return startAccountAlerts(deps, mailboxAccounts, {
    isQuiet: and(eq(mailboxes.state, 'active'), isNull(mailboxes.alertedAt)),
    isProblem,
    alerted: (alertedAt) => ({ alertedAt }),
  })
}

export type MailCounts = Record<MailOutcome, number>

/** The number of mails by outcome, of one mailbox or of all. */
export async function countMails(deps: Deps, orgId: string, mailboxId?: string): Promise<MailCounts> {
  const found = await deps.database.background
    .select({ outcome: mails.outcome, mails: count() })
    .from(mails)
    .where(and(eq(mails.orgId, orgId), mailboxId === undefined ? undefined : eq(mails.mailboxId, mailboxId)))
    .groupBy(mails.outcome)
  const counted = new Map(found.map((one) => [one.outcome, one.mails]))
  const of = (outcome: MailOutcome) => counted.get(outcome) ?? 0
  return {
    pending: of('pending'),
    message: of('message'),
    automatic: of('automatic'),
    bounce: of('bounce'),
    duplicate: of('duplicate'),
    own: of('own'),
    quarantined: of('quarantined'),
  }
}

export type UnfinishedMails = { pending: number; quarantined: number }

/** By mailbox id: mails that are fetched and still to be processed, and those in quarantine. */
export async function countUnfinished(deps: Deps, orgId: string): Promise<Map<string, UnfinishedMails>> {
  const found = await deps.database.read
    .select({ mailboxId: mails.mailboxId, outcome: mails.outcome, mails: count() })
    .from(mails)
    .where(and(eq(mails.orgId, orgId), inArray(mails.outcome, ['pending', 'quarantined'])))
    .groupBy(mails.mailboxId, mails.outcome)
  const counted = new Map<string, UnfinishedMails>()
  for (const one of found) {
    const so = counted.get(one.mailboxId) ?? { pending: 0, quarantined: 0 }
    counted.set(one.mailboxId, { ...so, [one.outcome]: one.mails })
  }
  return counted
}

interface MailTotals {
  states: Record<HealthState, number>
  /** Still on the mail servers. */
  unfetched: number
  /** Counts in the ledger. */
  outcomes: MailCounts
  /** When the oldest mail that is not processed yet was fetched; null when there is none. */
  oldestPendingAt: number | null
}

/** For the metrics: mailboxes by state and mails by outcome, of all organizations. */
export async function countAllMail(deps: Deps): Promise<MailTotals> {
  const { read, background } = deps.database
  const all = await mailboxAccounts.listAll(deps)
  const states: Record<HealthState, number> = { active: 0, connecting: 0, failing: 0, paused: 0, refused: 0 }
  for (const mailbox of all) states[healthOf(mailbox)] += 1
  // Grouped along an index.
  const grouped = await background
    .select({ mailboxId: mails.mailboxId, outcome: mails.outcome, mails: count() })
    .from(mails)
    .groupBy(mails.mailboxId, mails.outcome)
  const outcomes = { pending: 0, message: 0, automatic: 0, bounce: 0, duplicate: 0, own: 0, quarantined: 0 }
  for (const one of grouped) outcomes[one.outcome] += one.mails
  const [oldest] = await read
    .select({ at: min(mails.createdAt) })
    .from(mails)
    // Literal, for the partial index.
    .where(sql`outcome = 'pending'`)
  return {
    states,
    unfetched: all.reduce((sum, mailbox) => sum + (mailbox.unfetched ?? 0), 0),
    outcomes,
    oldestPendingAt: oldest?.at ?? null,
  }
}

/**
 * The result of a check of the mail server: how many mails its folders hold, and how many of them are still to be
 * fetched.
 */
export interface ReceiveCheck {
  onServer: number
  unfetched: number
  /** When the newest mail arrived, if there was one. */
  lastReceivedAt?: number
}

/**
 * Records a successful check of the mail server, or a failure with its reason. Tells open pages when the state changes.
 */
export function recordReceiving(
  deps: Deps,
  mailbox: Pick<Mailbox, 'orgId' | 'id'>,
  { error, ...check }: Partial<ReceiveCheck> & { error?: string },
): Promise<void> {
  const now = deps.clock.now()
  return record(deps, mailbox, (before) =>
    error !== undefined
      ? { ...check, receiveError: error, receiveFailingSince: before.receiveFailingSince ?? now }
      : { ...check, lastCheckedAt: now, receiveError: '', receiveFailingSince: null, signInRefusals: 0 },
  )
}

/**
 * Records that the mail server refused the password. After three refusals in a row, nothing is tried until an
 * administrator reconnects the mailbox, because many attempts lock an account. Does nothing if the mailbox was changed
 * since the attempt.
 */
export async function recordRefusal(
  deps: Deps,
  mailbox: Pick<Mailbox, 'orgId' | 'id' | 'updatedAt'>,
  error: string,
): Promise<void> {
  const { orgId, id, updatedAt } = mailbox
  const refused = (before: Mailbox) => ({
    receiveError: error,
    receiveFailingSince: before.receiveFailingSince ?? deps.clock.now(),
    signInRefusals: before.signInRefusals + 1,
  })
  const known = await readMailbox(deps, orgId, id)
  if (known.signInRefusals + 1 < MAX_REFUSALS) {
    await record(deps, mailbox, (before) => (before.updatedAt === updatedAt ? refused(before) : {}))
    return
  }
  const asSystem = actingAs(deps, { kind: 'system', name: 'Bellhop' })
  await mailboxAccounts.change(asSystem, orgId, { id, action: 'mailbox.refused' }, async (tx, before) => {
    if (before.state !== 'active' || before.updatedAt !== updatedAt) return before
    const now = deps.clock.now()
    return mailboxAccounts.save(tx, before, {
      ...refused(before),
      state: 'refused',
      alertedAt: now,
      updatedAt: now,
    })
  })
}

/** Only an active mailbox can be failing. */
async function record(
  deps: Deps,
  { orgId, id }: Pick<Mailbox, 'orgId' | 'id'>,
  changeOf: (before: Mailbox) => Partial<Mailbox>,
): Promise<void> {
  const known = await readMailbox(deps, orgId, id)
  if (known.state !== 'active') return
  await recordHealth(deps, mailboxAccounts, known, {
    isVisible: healthOf({ ...known, ...changeOf(known) }) !== healthOf(known),
    changeOf: (before) => {
      if (before.state !== 'active') return undefined
      const change = changeOf(before)
      const isOver = healthOf({ ...before, ...change }) === 'active'
      return { ...change, ...(isOver && { alertedAt: null }) }
    },
  })
}
