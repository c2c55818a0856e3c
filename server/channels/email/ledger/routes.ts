import { Elysia, t } from 'elysia'
import { MAIL_OUTCOMES } from '../../../database/tables/mailboxes.ts'
import { isoTime } from '../../../dates.ts'
import type { Deps } from '../../../deps.ts'
import { strictQuery } from '../../../requests/query.ts'
import { byId, oneOf, orNull } from '../../../requests/schemas.ts'
import type { AgentGuard } from '../../../sessions/require-agent.ts'
import { countMails } from '../mailboxes/mailbox-health.ts'
import {
  type LedgerEntry,
  listMails,
  makeTicket,
  NOT_MESSAGES,
  originalResponse,
  parseAgain,
  readMail,
} from './ledger.ts'

const id = t.String({ maxLength: 64 })
const time = t.String({ format: 'date-time' })

const ledgerQuery = t.Object(
  {
    mailboxId: t.Optional(id),
    outcome: t.Optional(oneOf(MAIL_OUTCOMES)),
    ticketId: t.Optional(id),
    cursor: t.Optional(id),
    limit: t.Optional(t.Integer({ minimum: 1, maximum: 100 })),
  },
  { additionalProperties: false },
)

const ledgerEntry = t.Object({
  id: t.String(),
  mailboxId: t.String(),
  mailbox: t.String(),
  folder: t.String(),
  outcome: oneOf(MAIL_OUTCOMES),
  reason: t.String(),
  from: t.String(),
  subject: t.String(),
  size: t.Integer(),
  ticketId: orNull(t.String()),
  messageId: orNull(t.String()),
  receivedAt: time,
  fetchedAt: time,
  /** Whether the original can be downloaded. */
  hasOriginal: t.Boolean(),
  canBecomeTicket: t.Boolean(),
})

const ledgerPage = t.Object({
  data: t.Array(ledgerEntry),
  nextCursor: t.Optional(t.String()),
  /** By outcome, of the mailbox of the query or of all. */
  counts: t.Record(t.String(), t.Integer()),
})

/** The ledger of fetched mails and its quarantine, for administrators. */
export function ledgerRoutes(deps: Deps, guard: AgentGuard) {
  return new Elysia({ name: 'channels/ledger', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/mails',
      async ({ me, query }) => {
        const { entries, nextCursor } = await listMails(deps, me.orgId, query)
        const counts = await countMails(deps, me.orgId, query.mailboxId)
        return {
          data: entries.map(viewLedgerEntry),
          ...(nextCursor === undefined ? {} : { nextCursor }),
          counts,
        }
      },
      {
        transform: [guard.adminsOnly, strictQuery(ledgerQuery)],
        query: ledgerQuery,
        response: { 200: ledgerPage },
      },
    )
    .get('/mails/:id', async ({ me, params }) => viewLedgerEntry(await readMail(deps, me.orgId, params.id)), {
      transform: [guard.adminsOnly, strictQuery()],
      params: byId,
      response: { 200: ledgerEntry },
    })
    .get('/mails/:id/original', ({ me, params }) => originalResponse(deps, me.orgId, params.id), {
      transform: [guard.adminsOnly, strictQuery()],
      params: byId,
    })
    .post(
      '/mails/:id/ticket',
      async ({ me, as, params, status }) => {
        await makeTicket(as, me.orgId, params.id)
        return status(204, undefined)
      },
      {
        transform: [guard.adminsOnly, strictQuery()],
        params: byId,
        response: { 204: t.Undefined() },
      },
    )
    .post(
      '/mails/:id/parse',
      async ({ me, as, params, status }) => {
        await parseAgain(as, me.orgId, params.id)
        return status(204, undefined)
      },
      {
        transform: [guard.adminsOnly, strictQuery()],
        params: byId,
        response: { 204: t.Undefined() },
      },
    )
}

function viewLedgerEntry(entry: LedgerEntry) {
  const { fromAddress, receivedAt, createdAt, hash, ...rest } = entry
  return {
    id: rest.id,
    mailboxId: rest.mailboxId,
    mailbox: rest.mailbox,
    folder: rest.folder,
    outcome: rest.outcome,
    reason: rest.reason,
    from: fromAddress,
    subject: rest.subject,
    size: rest.size,
    ticketId: rest.ticketId,
    messageId: rest.messageId,
    receivedAt: isoTime(receivedAt),
    fetchedAt: isoTime(createdAt),
    hasOriginal: hash !== null,
    canBecomeTicket: hash !== null && NOT_MESSAGES.includes(rest.outcome),
  }
}
