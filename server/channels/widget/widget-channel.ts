import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import type { Reader, Transaction } from '../../database/database.ts'
import { matches } from '../../database/matches.ts'
import { statement, text } from '../../database/statement.ts'
import { apiKeys } from '../../database/tables/api-keys.ts'
import { messages } from '../../database/tables/messages.ts'
import { organizations } from '../../database/tables/organizations.ts'
import { visitors, widgetConversations, widgets } from '../../database/tables/widgets.ts'
import { failedPlan } from '../../messages/sends/plan-sends.ts'
import { undoSecondsIn } from '../../messages/sends/undo-seconds.ts'
import { isAnyConnected } from '../accounts/accounts.ts'
import type { ChangeableMessage, Channel, SentMessage, Way } from '../channel.ts'
import { scheduleUnreadEmail, unreadRecipient } from './unread/unread-answers.ts'
import { widgetErasure } from './visitors/erase-visitors.ts'

const NOT_CONNECTED = 'The website widget is not connected.'

export const widgetChannel: Channel = {
  kind: 'widget',
  name: 'the widget',
  isByAddress: false,
  canContinueElsewhere: true,
  async way(deps, read, { id: ticketId, orgId, mailboxId }, customer) {
    const [active] = await findActiveWidget(read, { orgId, ticketId })
    if (active) return SHOWN
    if (customer.email === null) return MISSING
    const way = await deps.channels.byAddress.wayThrough(read, orgId, mailboxId)
    return way.mailbox ? way : MISSING
  },
  undoSeconds: undoSecondsIn('widget', organizations.undoWidgetSeconds),
  isOneReader: haveOneOwner,
  erasure: widgetErasure,
  rowsOfCustomers: [{ name: 'visitor', table: visitors, key: sql<string>`${visitors.id}` }],
  changes: {
    async possible(_deps, _read, { messages: all }) {
      const shown = all.filter((message) => message.sending === 'sent' && isShown(message))
      return new Map(shown.map(({ id }) => [id, { canEdit: false, canTakeBack: true }]))
    },
  },
  async shown(tx, message) {
    if (message.sending === 'failed' || !isShown(message)) return undefined
    return seenBy(tx, message)
  },
  // What starts later emails answers that visitors have not read.
  isUsed: (deps) => isAnyConnected(deps, deps.channels.byAddress.accounts),
  async start(deps) {
    const { startUnreadEmails } = await import('./unread/unread-emails.ts')
    return startUnreadEmails(deps)
  },
}

/** The visitor's page shows it. */
const SHOWN: Way = {
  by: 'widget',
  destination: async (deps, read, ticket, customer) => ({
    ifUnread: await unreadRecipient(deps, read, ticket, customer),
  }),
  async plan(deps, tx, { ticket }) {
    await scheduleUnreadEmail(deps, tx, ticket)
    return { sending: 'sent', sendError: null, sentBy: 'widget', email: null, sends: [] }
  },
}

const MISSING: Way = {
  by: 'nothing',
  destination: async () => ({ problem: { reason: NOT_CONNECTED, effect: 'fails', setting: 'widget' } }),
  plan: async () => failedPlan(NOT_CONNECTED, 'widget'),
}

/** Whether one browser, or one user whom the website has signed in, sees all of these conversations. */
async function haveOneOwner(
  read: Reader | Transaction,
  { orgId, ticketIds }: { orgId: string; ticketIds: string[] },
): Promise<boolean> {
  const found = await read
    .select({ visitorId: widgetConversations.visitorId, userId: widgetConversations.userId })
    .from(widgetConversations)
    .where(and(eq(widgetConversations.orgId, orgId), inArray(widgetConversations.ticketId, ticketIds)))
  const owners = new Set(
    found.map(({ visitorId, userId }) => (userId === null ? visitorId : `user ${userId}`)),
  )
  return found.length === ticketIds.length && owners.size === 1
}

/** The page of the visitor shows it, and no email has it. */
function isShown({ role, email, author }: ChangeableMessage): boolean {
  return role === 'agent' && email === null && author === null
}

async function seenBy(
  tx: Transaction,
  { orgId, ticketId, id, createdAt }: SentMessage,
): Promise<{ isSeen: boolean } | undefined> {
  const [found] = await tx
    .select({ seenId: messages.id, seenAt: messages.createdAt })
    .from(widgetConversations)
    .leftJoin(messages, eq(messages.id, widgetConversations.seenMessageId))
    .where(matches(widgetConversations, { orgId, ticketId }))
  if (!found) return undefined
  const seenAt = found.seenAt ?? -1
  return { isSeen: createdAt < seenAt || (createdAt === seenAt && id <= (found.seenId ?? '')) }
}

/** The widget in which a ticket was opened, if it is turned on. Otherwise, no page shows a reply there. */
const findActiveWidget = statement(
  'sends_active_widget',
  { orgId: text, ticketId: text },
  (read: Reader | Transaction, p) =>
    read
      .select({ id: widgets.id })
      .from(widgetConversations)
      .innerJoin(widgets, eq(widgets.id, widgetConversations.widgetId))
      .innerJoin(apiKeys, eq(apiKeys.id, widgets.keyId))
      .where(
        and(
          eq(widgetConversations.orgId, p.orgId),
          eq(widgetConversations.ticketId, p.ticketId),
          eq(widgets.state, 'active'),
          isNull(widgets.deletedAt),
          isNull(apiKeys.revokedAt),
        ),
      ),
)
