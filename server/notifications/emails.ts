import { and, asc, count, desc, eq, inArray, isNull, lte, sql } from 'drizzle-orm'
import type { AddressWay } from '../channels/channel.ts'
import type { Reader, Transaction } from '../database/database.ts'
import { matches } from '../database/matches.ts'
import { integer, statement, text } from '../database/statement.ts'
import { agents } from '../database/tables/agents.ts'
import {
  notificationEmails,
  notificationSettings,
  notifications,
  pushSubscriptions,
} from '../database/tables/notifications.ts'
import { mentions } from '../database/tables/threads.ts'
import { PLACES, tickets } from '../database/tables/tickets.ts'
import type { Deps } from '../deps.ts'
import { isHeld } from '../jobs/held.ts'
import { runLanes } from '../jobs/run-lanes.ts'
import type { Loop } from '../loop.ts'
import { insertSends } from '../messages/sends/queries.ts'
import { cut, oneLine } from '../text/text.ts'
import { LATEST_TIME } from '../tickets/waiting.ts'
import {
  type Choices,
  type ChosenReason,
  choicesOf,
  findSettings,
  nextSummaryAt,
  type Settings,
} from './choices.ts'
import { type NotificationText, readNotificationText } from './notification-text.ts'
import { listBells } from './view-bells.ts'

const MIN_PAUSE_MS = 15 * 60_000
/** Notifications in one email. It gives the number of the others. */
const MAX_SHOWN = 30
/** Of each kind in a summary. */
const MAX_LISTED = 10
const MAX_TEXT_LENGTH = 300
const MAX_SUBJECT_LENGTH = 150

type Row = typeof notifications.$inferSelect

/** Emails agents what they have not seen after some minutes, and summaries in the morning. */
export function startNotificationEmails(deps: Deps): Loop {
  return runLanes(deps, {
    name: 'notification emails',
    tables: [notificationSettings],
    atOnce: 1,
    failure: 'notification_email_failed',
    find: (read, { limit, held }) => findDue(read, { limit, held }),
    async run({ orgId, agentId }) {
      await deps.database.write(orgId, (tx) => emailAgent(deps, tx, { orgId, agentId }))
      return 0
    },
  })
}

/** The earlier one. SQLite and PostgreSQL name this differently. */
const [emailAt, summaryAt] = [
  sql`coalesce(${notificationSettings.emailDueAt}, ${notificationSettings.summaryDueAt})`,
  sql`coalesce(${notificationSettings.summaryDueAt}, ${notificationSettings.emailDueAt})`,
]
const dueAt = sql<number>`case when ${emailAt} < ${summaryAt} then ${emailAt} else ${summaryAt} end`

/** The emails that are due first. Runs after each commit that changes one. */
const findDue = statement('notification_emails_due', { limit: integer, held: text }, (read: Reader, p) =>
  read
    .select({
      id: sql<string>`${notificationSettings.orgId} || ${notificationSettings.agentId}`,
      orgId: notificationSettings.orgId,
      agentId: notificationSettings.agentId,
      dueAt: dueAt.mapWith(Number),
    })
    .from(notificationSettings)
    .where(
      and(
        sql`(email_due_at is not null or summary_due_at is not null)`,
        isHeld(notificationSettings.agentId, p.held),
      ),
    )
    .orderBy(sql`4 limit ${p.limit}`),
)

async function emailAgent(
  deps: Deps,
  tx: Transaction,
  owner: { orgId: string; agentId: string },
): Promise<void> {
  const now = deps.clock.now()
  const settings = await findSettings(tx, owner)
  if (!settings) return
  const [agent] = await tx
    .select({ name: agents.name, email: agents.email })
    .from(agents)
    .where(and(matches(agents, { orgId: owner.orgId, id: owner.agentId }), isNull(agents.disabledAt)))
  const way = await deps.channels.byAddress.wayThrough(tx, owner.orgId, '')
  const set = (change: Partial<Settings>) =>
    tx.update(notificationSettings).set(change).where(matches(notificationSettings, owner))
  if (!agent) {
    await set({ emailDueAt: null, summaryDueAt: null })
    return
  }
  const isSummaryDue = settings.summaryDueAt !== null && settings.summaryDueAt <= now
  if (isSummaryDue) await set({ summaryDueAt: nextSummaryAt(settings.timeZone, now) })
  if (!way.mailbox) {
    await set({ emailDueAt: null })
    return
  }
  const email: Emailing = { owner, settings, way, agent, now, base: await baseOf(deps, tx, owner) }
  if (isSummaryDue && (settings.pausedUntil ?? 0) <= now) await sendSummary(deps, tx, email)
  if (settings.emailDueAt === null || settings.emailDueAt > now) return
  const mayGoAt = Math.max(
    settings.pausedUntil ?? 0,
    (settings.lastEmailedAt ?? Number.NEGATIVE_INFINITY) + MIN_PAUSE_MS,
  )
  if (mayGoAt > now) await set({ emailDueAt: mayGoAt })
  else {
    const isSent = await sendUnseen(deps, tx, email)
    await set({ emailDueAt: null, ...(isSent && { lastEmailedAt: now }) })
  }
}

interface Emailing {
  owner: { orgId: string; agentId: string }
  settings: Settings
  way: AddressWay
  agent: { name: string; email: string }
  now: number
  /** Where the agent opens Bellhop; empty while that isn't known. */
  base: string
}

async function baseOf(
  { config }: Deps,
  tx: Transaction,
  owner: { orgId: string; agentId: string },
): Promise<string> {
  if (config.publicUrl !== undefined) return config.publicUrl
  const [browser] = await tx
    .select({ origin: pushSubscriptions.origin })
    .from(pushSubscriptions)
    .where(matches(pushSubscriptions, owner))
    .limit(1)
  return browser?.origin ?? ''
}

/** Returns whether there is an email. */
async function sendUnseen(deps: Deps, tx: Transaction, email: Emailing): Promise<boolean> {
  const { owner, settings } = email
  const unseen = await tx
    .select()
    .from(notifications)
    .where(and(matches(notifications, owner), sql`seen_at is null`, isNull(notifications.emailId)))
    .orderBy(asc(notifications.eventNumber))
  const bells = await listBells(tx, owner)
  const choices = choicesOf(settings)
  const wanted = unseen.filter((row) => isEmailed(row, choices, bells))
  const shown: NotificationText[] = []
  for (const row of wanted.slice(0, MAX_SHOWN)) {
    const text = await readNotificationText(tx, row)
    if (text) shown.push(text)
  }
  const [first] = shown
  if (!first) return false
  const ticketIds = [...new Set(wanted.map(({ ticketId }) => ticketId))]
  const isOne = ticketIds.length === 1 && wanted.every((row) => row.tickets === 1)
  const subject =
    shown.length === 1
      ? cut(`${first.title} · ${first.what}${first.subject && `: ${first.subject}`}`, MAX_SUBJECT_LENGTH)
      : isOne
        ? cut(`${shown.length} notifications: ${first.subject}`, MAX_SUBJECT_LENGTH)
        : `${wanted.length} notifications about ${ticketIds.length} tickets`
  const text = [
    ...shown.map((one) => paragraphOf(one, email.base)),
    ...(wanted.length > shown.length ? [`And ${wanted.length - shown.length} more.`] : []),
    footOf(wanted, { ...email, isOne }),
  ].join('\n\n')
  const emailId = await send(deps, tx, email, { ticketId: isOne ? first.ticketId : '', subject, text })
  if (emailId === undefined) return false
  const numbers = wanted.map(({ eventNumber }) => eventNumber)
  await tx
    .update(notifications)
    .set({ emailId })
    .where(and(matches(notifications, owner), inArray(notifications.eventNumber, numbers)))
  return true
}

function isEmailed(
  { reason, viewId }: Row,
  { ways }: Choices,
  bells: { viewId: string; email: boolean }[],
): boolean {
  if (reason === 'view') return bells.some((bell) => bell.viewId === viewId && bell.email)
  return ways[reason].email
}

/** Sends it through the organization's mailbox. Returns its id, or undefined without one. `ticketId`: empty for several. */
async function send(
  deps: Deps,
  tx: Transaction,
  { owner, way, agent, now }: Emailing,
  { ticketId, subject, text }: { ticketId: string; subject: string; text: string },
): Promise<string | undefined> {
  const id = deps.newId('ntf')
  const to = { name: agent.name, address: agent.email }
  const planned = way.planNotice(deps, { orgId: owner.orgId, id, to, subject, text, createdAt: now })
  if (!planned) return undefined
  await insertSends(tx, [planned])
  await tx.insert(notificationEmails).values({ id, ...owner, ticketId, sendId: planned.id, createdAt: now })
  return id
}

function paragraphOf({ title, what, subject, text, path }: NotificationText, base: string): string {
  const lines = [
    `${title} · ${what}`,
    subject,
    text && `“${cut(text, MAX_TEXT_LENGTH)}”`,
    base && `${base}${path}`,
  ]
  return lines.filter((line) => line !== '').join('\n')
}

/** What the reasons are called where an email can be ended. */
const ENDED: Record<ChosenReason, string> = {
  mentioned: 'mentions of you',
  assigned: 'tickets assigned to you',
  customer_wrote: 'messages on your tickets',
  followed: 'tickets that you follow',
  unassigned: 'new tickets',
  snooze_ended: 'snoozes that ended',
  failed: 'replies that were not sent',
}

function footOf(rows: Row[], { base, isOne }: { base: string; isOne: boolean }): string {
  const reasons = [...new Set(rows.map(({ reason }) => reason))]
  const page = `${base}/settings/account/notifications`
  const links = reasons.flatMap((reason) =>
    reason === 'view' ? [] : `No more emails about ${ENDED[reason]}: ${page}?off=${reason}`,
  )
  return [
    '--',
    isOne
      ? 'Answer this email to add an internal note to the ticket. The customer does not see it.'
      : 'Answers to this email reach no ticket, because it is about several.',
    ...(base === '' ? ['You choose what is emailed under Your account, Notifications.'] : links),
  ].join('\n')
}

/** Tickets of the agent whose customers wait, and mentions that they have not seen. Nothing when there are none. */
async function sendSummary(deps: Deps, tx: Transaction, email: Emailing): Promise<void> {
  const { owner, base } = email
  const isWaiting = and(
    eq(tickets.orgId, owner.orgId),
    eq(tickets.assignedTo, owner.agentId),
    eq(tickets.place, PLACES.inbox),
    lte(tickets.waitingOrder, LATEST_TIME),
  )
  const isUnseen = and(matches(mentions, owner), isNull(mentions.seenAt))
  const [waiting] = await tx.select({ tickets: count() }).from(tickets).where(isWaiting)
  const [unseen] = await tx.select({ notes: count() }).from(mentions).where(isUnseen)
  const [mine, notes] = [waiting?.tickets ?? 0, unseen?.notes ?? 0]
  if (mine + notes === 0) return
  const { subject } = tickets
  const longest = await tx
    .select({ subject })
    .from(tickets)
    .where(isWaiting)
    .orderBy(asc(tickets.waitingOrder))
    .limit(MAX_LISTED)
  const newest = await tx
    .select({ subject })
    .from(mentions)
    .innerJoin(tickets, eq(tickets.id, mentions.ticketId))
    .where(isUnseen)
    .orderBy(desc(mentions.createdAt))
    .limit(MAX_LISTED)
  const wait = mine === 1 ? 'has a customer who waits' : 'have customers who wait'
  const mention = notes === 1 ? 'note mentions' : 'notes mention'
  const parts = [
    mine > 0 && listOf(`${mine} of your tickets ${wait}:`, longest, mine),
    mine > 0 && base !== '' && `${base}/inbox/mine`,
    notes > 0 && listOf(`${notes} ${mention} you that you haven't seen:`, newest, notes),
    notes > 0 && base !== '' && `${base}/inbox/mentions`,
    base !== '' && `No more summaries: ${base}/settings/account/notifications?off=summary`,
  ]
  const text = parts.filter((part) => part !== false).join('\n\n')
  await send(deps, tx, email, { ticketId: '', subject: 'Your morning in Bellhop', text })
}

/** The subjects of tickets, a line each, and how many more there are. */
function listOf(title: string, listed: { subject: string }[], all: number): string {
  const lines = listed.map(({ subject }) => `- ${cut(oneLine(subject), MAX_SUBJECT_LENGTH)}`)
  const more = all - listed.length
  return [title, ...lines, ...(more > 0 ? [`And ${more} more.`] : [])].join('\n')
}
