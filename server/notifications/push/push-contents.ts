import { and, desc, gt, isNull } from 'drizzle-orm'
import type { Reader } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { notifications } from '../../database/tables/notifications.ts'
import type { Deps } from '../../deps.ts'
import { cut } from '../../text/text.ts'
import { choicesOf, findSettings } from '../choices.ts'
import { type NotificationText, readNotificationText } from '../notification-text.ts'
import { TEST_TAG } from './queue-pushes.ts'

const MAX_TITLE_LENGTH = 100
const MAX_SUBJECT_LENGTH = 120
const MAX_TEXT_LENGTH = 140
/** The next push closes what the browser still shows of tickets that were seen elsewhere within this time. */
const CLOSES_FOR_MS = 24 * 3_600_000
const MAX_CLOSED = 20
/** Of declarative pushes, which Safari shows without running our worker. */
const DECLARATIVE = 8030

interface PushContents {
  payload: Uint8Array
  isUrgent: boolean
}

interface Wanted {
  orgId: string
  agentId: string
  tag: string
  eventNumber: number
  /** Where the browser opens Bellhop. */
  origin: string
}

/** The text of a push, in the declarative form. Undefined if the agent has seen the notification meanwhile. */
export async function pushContents(
  deps: Deps,
  { orgId, agentId, tag, eventNumber, origin }: Wanted,
): Promise<PushContents | undefined> {
  const { read } = deps.database
  if (tag === TEST_TAG) {
    const title = 'Notifications work'
    const body = 'Bellhop reaches this browser, also while no tab is open.'
    return contents({ title, body, tag, navigate: `${origin}/settings/account/notifications` }, {})
  }
  const [row] = await read
    .select()
    .from(notifications)
    .where(and(matches(notifications, { orgId, agentId, eventNumber }), isNull(notifications.seenAt)))
  const text = row && (await readNotificationText(read, row))
  if (!text) return undefined
  const { showsText } = choicesOf(await findSettings(read, { orgId, agentId }))
  const shown = showsText ? linesOf(text) : text.what
  const badge = await countUnseen(read, { orgId, agentId })
  const close = await findSeen(read, { orgId, agentId, since: deps.clock.now() - CLOSES_FOR_MS })
  return contents(
    { title: cut(text.title, MAX_TITLE_LENGTH), body: shown, tag, navigate: `${origin}${text.path}` },
    { badge, close: close.filter((ticketId) => ticketId !== tag), isUrgent: text.isUrgent },
  )
}

function linesOf({ subject, what, text }: NotificationText): string {
  const lines = [cut(subject, MAX_SUBJECT_LENGTH), text ? cut(text, MAX_TEXT_LENGTH) : what]
  return lines.filter((line) => line !== '').join('\n')
}

function contents(
  notification: { title: string; body: string; tag: string; navigate: string },
  { badge, close = [], isUrgent = false }: { badge?: number; close?: string[]; isUrgent?: boolean },
): PushContents {
  const payload = {
    web_push: DECLARATIVE,
    notification: { ...notification, ...(badge !== undefined && { app_badge: String(badge) }) },
    ...(badge !== undefined && { app_badge: badge }),
    ...(close.length > 0 && { close }),
    // Safari runs our worker where there is one: it knows which tab has the focus.
    mutable: true,
  }
  return { payload: Buffer.from(JSON.stringify(payload)), isUrgent }
}

/** The number on the app's icon: tickets with something that the agent has not seen. */
async function countUnseen(read: Reader, owner: { orgId: string; agentId: string }): Promise<number> {
  const rows = await read
    .selectDistinct({ ticketId: notifications.ticketId })
    .from(notifications)
    .where(and(matches(notifications, owner), isNull(notifications.seenAt)))
  return rows.length
}

async function findSeen(
  read: Reader,
  { orgId, agentId, since }: { orgId: string; agentId: string; since: number },
): Promise<string[]> {
  const rows = await read
    .select({ ticketId: notifications.ticketId })
    .from(notifications)
    .where(and(matches(notifications, { orgId, agentId }), gt(notifications.seenAt, since)))
    .orderBy(desc(notifications.eventNumber))
    .limit(MAX_CLOSED)
  return [...new Set(rows.map(({ ticketId }) => ticketId))]
}
