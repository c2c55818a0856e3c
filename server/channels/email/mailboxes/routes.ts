import { Elysia, type Static } from 'elysia'
import type { Deps } from '../../../deps.ts'
import { strictQuery } from '../../../requests/query.ts'
import type { AgentGuard } from '../../../sessions/require-agent.ts'
import { withAssignee } from '../../accounts/default-assignee.ts'
import { accountHandlers, accountHooks } from '../../accounts/routes.ts'
import { createMailDialer } from '../mail-account.ts'
import { createDkimKey, removeDkimKey, switchDkim } from './dkim.ts'
import { findProvider, MAIL_PROVIDERS } from './mail-providers.ts'
import { countMails, mailboxProblems } from './mailbox-health.ts'
import { newRow } from './mailbox-rows.ts'
import { makeDefaultMailbox, pauseMailbox, removeMailbox, resumeMailbox } from './mailbox-state.ts'
import { createMailbox, listMailboxes, readMailbox, updateMailbox } from './mailboxes.ts'
import * as schemas from './schemas.ts'
import { suggestAliases } from './suggest-aliases.ts'
import { viewLedger, viewMailbox, viewMailboxes, viewProblem, viewProvider, viewSender } from './views.ts'

/** Mailboxes, for administrators. Every agent sees their names, addresses and signatures. */
export function mailboxRoutes(deps: Deps, guard: AgentGuard) {
  const mail = { clock: deps.clock, dialer: createMailDialer(deps) }
  const noQuery = strictQuery()
  const { all, one, gone, withBody } = accountHooks(guard, schemas.mailboxSchema)
  const mailboxes = accountHandlers({
    list: listMailboxes,
    viewAll: ({ as, me }, rows) => viewMailboxes(as, me.orgId, rows),
  })

  return new Elysia({ name: 'mailboxes/console', prefix: '/console' })
    .use(guard.requireAgent)
    .get('/mailboxes', mailboxes.list, all)
    .get(
      '/mailboxes/problems',
      async ({ me, as }) => ({ data: (await mailboxProblems(as, me.orgId)).map(viewProblem) }),
      { ...all, response: { 200: schemas.problemList } },
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
    .get('/mailboxes/:id', mailboxes.after(readMailbox), one)
    .get(
      '/mailboxes/:id/suggested-aliases',
      async ({ me, as, params: { id } }) => ({ data: await suggestAliases(as, me.orgId, id) }),
      { ...one, response: { 200: schemas.suggestedAliases } },
    )
    .get(
      '/mailboxes/:id/ledger',
      async ({ me, as, params: { id } }) => {
        const mailbox = await readMailbox(as, me.orgId, id)
        return viewLedger(mailbox, await countMails(as, me.orgId, id))
      },
      { ...one, response: { 200: schemas.ledgerSchema } },
    )
    .post(
      '/mailboxes',
      async ({ me, as, body, status }) => {
        const { importSince, ...input } = body
        const since = importSince ? Date.parse(importSince) : null
        const made = await createMailbox(as, me.orgId, { ...withAssignee(input), importSince: since })
        return status(201, viewMailbox(made))
      },
      { ...withBody, body: schemas.newMailbox, response: { 201: schemas.mailboxSchema } },
    )
    .patch(
      '/mailboxes/:id',
      mailboxes.afterChange((as, orgId, id, body: Static<typeof schemas.mailboxChange>) =>
        updateMailbox(as, orgId, { id, change: withAssignee(body) }),
      ),
      { ...one, ...withBody, body: schemas.mailboxChange },
    )
    .delete('/mailboxes/:id', mailboxes.remove(removeMailbox), gone)
    .post(
      '/mailboxes/test',
      async ({ me, as, body, request, server }) => {
        const { testConnection } = await import('./test-connection.ts')
        // Otherwise the connection would be closed after 30 idle seconds.
        server?.timeout(request, 0)
        const { importSince: _, ...input } = body
        return testConnection(as, mail, newRow(as, me.orgId, withAssignee(input)), request.signal)
      },
      { ...withBody, body: schemas.newMailbox, response: { 200: schemas.connectionTest } },
    )
    .post(
      '/mailboxes/:id/test',
      async ({ me, as, params, body, request, server }) => {
        const { testStoredMailbox } = await import('./test-connection.ts')
        server?.timeout(request, 0)
        const tested = { orgId: me.orgId, id: params.id, change: withAssignee(body) }
        return testStoredMailbox(as, mail, tested, request.signal)
      },
      { ...one, ...withBody, body: schemas.mailboxChange, response: { 200: schemas.connectionTest } },
    )
    .post(
      '/mailboxes/:id/dkim',
      mailboxes.afterChange((as, orgId, id, body: Static<typeof schemas.dkimInput>) =>
        createDkimKey(as, orgId, { id, ...body }),
      ),
      { ...one, ...withBody, body: schemas.dkimInput },
    )
    .patch(
      '/mailboxes/:id/dkim',
      mailboxes.afterChange((as, orgId, id, body: Static<typeof schemas.dkimSwitch>) =>
        switchDkim(as, orgId, { id, ...body }),
      ),
      { ...one, ...withBody, body: schemas.dkimSwitch },
    )
    .delete('/mailboxes/:id/dkim', mailboxes.after(removeDkimKey), one)
    .post('/mailboxes/:id/pause', mailboxes.after(pauseMailbox), one)
    .post('/mailboxes/:id/resume', mailboxes.after(resumeMailbox), one)
    .post('/mailboxes/:id/default', mailboxes.after(makeDefaultMailbox), one)
}
