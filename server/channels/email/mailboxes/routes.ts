import { Elysia, t } from 'elysia'
import type { Deps } from '../../../deps.ts'
import { arrive, jsonBody } from '../../../requests/json-body.ts'
import { parseTime } from '../../../requests/parse-time.ts'
import { strictQuery } from '../../../requests/query.ts'
import { byId } from '../../../requests/schemas.ts'
import type { AgentGuard } from '../../../sessions/require-agent.ts'
import { createMailDialer } from '../mail-account.ts'
import { createDkimKey, removeDkimKey, switchDkim } from './dkim.ts'
import { findProvider } from './find-provider.ts'
import { MAIL_PROVIDERS } from './mail-providers.ts'
import { mailboxProblems } from './mailbox-alerts.ts'
import { countMails, countUnfinished } from './mailbox-health.ts'
import { type Mailbox, newRow } from './mailbox-rows.ts'
import { makeDefaultMailbox, pauseMailbox, removeMailbox, resumeMailbox } from './mailbox-state.ts'
import { createMailbox, listMailboxes, readMailbox, updateMailbox } from './mailboxes.ts'
import * as schemas from './schemas.ts'
import { suggestAliases } from './suggest-aliases.ts'
import { testConnection, testStoredMailbox } from './test-connection.ts'
import { viewLedger, viewMailbox, viewProblem, viewProvider, viewSender } from './views.ts'

/** Mailboxes, for administrators. Every agent sees their names, addresses and signatures. */
export function mailboxRoutes(deps: Deps, guard: AgentGuard) {
  const mail = { clock: deps.clock, dialer: createMailDialer(deps) }
  const noQuery = strictQuery()
  const transform = [guard.adminsOnly, noQuery]
  const withBody = { parse: arrive, transform: [...transform, jsonBody] }
  const one = { transform, params: byId, response: { 200: schemas.mailboxSchema } }

  return new Elysia({ name: 'mailboxes/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get(
      '/mailboxes',
      async ({ me, as }) => {
        const unfinished = await countUnfinished(as, me.orgId)
        const found = await listMailboxes(as, me.orgId)
        return { data: found.map((mailbox) => viewMailbox(mailbox, unfinished.get(mailbox.id))) }
      },
      { transform, response: { 200: schemas.mailboxList } },
    )
    .get(
      '/mailboxes/problems',
      async ({ me, as }) => ({ data: (await mailboxProblems(as, me.orgId)).map(viewProblem) }),
      { transform, response: { 200: schemas.problemList } },
    )
    .get(
      '/mailboxes/senders',
      async ({ me, as }) => ({ data: (await listMailboxes(as, me.orgId)).map(viewSender) }),
      { transform: noQuery, response: { 200: schemas.senderList } },
    )
    .get(
      '/mailbox-presets',
      async ({ as, query: { address } }) => {
        const match = address === undefined ? undefined : await findProvider(as, address)
        return { data: MAIL_PROVIDERS.map(viewProvider), match: match?.id ?? null }
      },
      {
        transform: [guard.adminsOnly, strictQuery(schemas.providerQuery)],
        query: schemas.providerQuery,
        response: { 200: schemas.providerList },
      },
    )
    .get(
      '/mailboxes/:id',
      async ({ me, as, params }) => shown(as, await readMailbox(as, me.orgId, params.id)),
      one,
    )
    .get(
      '/mailboxes/:id/suggested-aliases',
      async ({ me, as, params: { id } }) => ({ data: await suggestAliases(as, me.orgId, id) }),
      { transform, params: byId, response: { 200: schemas.suggestedAliases } },
    )
    .get(
      '/mailboxes/:id/ledger',
      async ({ me, as, params: { id } }) => {
        const mailbox = await readMailbox(as, me.orgId, id)
        return viewLedger(mailbox, await countMails(as, me.orgId, id))
      },
      { transform, params: byId, response: { 200: schemas.ledgerSchema } },
    )
    .post(
      '/mailboxes',
      async ({ me, as, body, status }) => {
        const { importSince, ...input } = body
        const since = importSince ? parseTime(importSince, { pointer: '/importSince' }) : null
        const made = await createMailbox(as, me.orgId, { ...entered(input), importSince: since })
        return status(201, viewMailbox(made))
      },
      { ...withBody, body: schemas.newMailbox, response: { 201: schemas.mailboxSchema } },
    )
    .patch(
      '/mailboxes/:id',
      async ({ me, as, params: { id }, body }) =>
        shown(as, await updateMailbox(as, me.orgId, { id, change: entered(body) })),
      {
        ...withBody,
        params: byId,
        body: schemas.mailboxChange,
        response: { 200: schemas.mailboxSchema },
      },
    )
    .delete(
      '/mailboxes/:id',
      async ({ me, as, params, status }) => {
        await removeMailbox(as, me.orgId, params.id)
        return status(204, undefined)
      },
      { transform, params: byId, response: { 204: t.Undefined() } },
    )
    .post(
      '/mailboxes/test',
      ({ me, as, body, request, server }) => {
        // Otherwise the connection would be closed after 30 idle seconds.
        server?.timeout(request, 0)
        const { importSince: _, ...input } = body
        return testConnection(as, mail, newRow(as, me.orgId, entered(input)), request.signal)
      },
      { ...withBody, body: schemas.newMailbox, response: { 200: schemas.connectionTest } },
    )
    .post(
      '/mailboxes/:id/test',
      async ({ me, as, params, body, request, server }) => {
        server?.timeout(request, 0)
        const tested = { orgId: me.orgId, id: params.id, change: entered(body) }
        return testStoredMailbox(as, mail, tested, request.signal)
      },
      {
        ...withBody,
        params: byId,
        body: schemas.mailboxChange,
        response: { 200: schemas.connectionTest },
      },
    )
    .post(
      '/mailboxes/:id/dkim',
      async ({ me, as, params: { id }, body }) =>
        shown(as, await createDkimKey(as, me.orgId, { id, ...body })),
      { ...withBody, params: byId, body: schemas.dkimInput, response: { 200: schemas.mailboxSchema } },
    )
    .patch(
      '/mailboxes/:id/dkim',
      async ({ me, as, params: { id }, body }) => shown(as, await switchDkim(as, me.orgId, { id, ...body })),
      { ...withBody, params: byId, body: schemas.dkimSwitch, response: { 200: schemas.mailboxSchema } },
    )
    .delete(
      '/mailboxes/:id/dkim',
      async ({ me, as, params }) => shown(as, await removeDkimKey(as, me.orgId, params.id)),
      one,
    )
    .post(
      '/mailboxes/:id/pause',
      async ({ me, as, params }) => shown(as, await pauseMailbox(as, me.orgId, params.id)),
      one,
    )
    .post(
      '/mailboxes/:id/resume',
      async ({ me, as, params }) => shown(as, await resumeMailbox(as, me.orgId, params.id)),
      one,
    )
    .post(
      '/mailboxes/:id/default',
      async ({ me, as, params }) => shown(as, await makeDefaultMailbox(as, me.orgId, params.id)),
      one,
    )
}

async function shown(as: Deps, mailbox: Mailbox) {
  const unfinished = await countUnfinished(as, mailbox.orgId)
  return viewMailbox(mailbox, unfinished.get(mailbox.id))
}

function entered<Input extends { defaultAssignee?: string | null }>(input: Input) {
  const { defaultAssignee, ...fields } = input
  return { ...fields, ...(defaultAssignee !== undefined && { defaultAssignee: defaultAssignee ?? '' }) }
}
