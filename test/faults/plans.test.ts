import { Database as Connection } from 'bun:sqlite'
import { describe, expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import { engine } from '../../server/database/columns.ts'
import { DATABASE_FILE } from '../../server/database/open.ts'
import { readDocuments, SMALL_UNIT } from '../../server/search/index/read-documents.ts'
import { replaySlice } from '../../server/webhooks/api/replay.ts'
import { readResendJob, resendFailedSince, startResending } from '../../server/webhooks/deliveries/resend.ts'
import { startBellhop } from '../support/bellhop.ts'
import { makeTicket } from '../support/tickets.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

/** Due endpoints; the next due time; the earliest due delivery; the claim. */
const SORTED_BY_LOOP = /order by (?:"endpoints"\.)?"next_delivery_at"|order by "deliveries"."due_at"/

describe.if(engine === 'sqlite')('on SQLite', () => {
  test('resending all failed deliveries reads only failed ones', async () => {
    await using webhooks = await openWebhooks()
    const { deps, orgId } = webhooks
    const { endpoint } = await webhooks.endpoint('https://127.0.0.1:1/')
    using prepared = spyOn(Connection.prototype, 'prepare')
    const job = await resendFailedSince(deps, orgId, { endpointId: endpoint.id, since: 0 })
    const resending = startResending(deps, replaySlice)
    await eventually(async () => (await readResendJob(deps, orgId, job.id)).finishedAt !== null)
    await resending.stop()
    const query =
      prepared.mock.calls.map(([sql]) => sql).find((sql) => sql.includes("state = 'failed'")) ?? ''
    using file = new Connection(join(deps.config.dataFolder, DATABASE_FILE))
    const [step] = file.query<{ detail: string }, []>(`explain query plan ${query}`).all()
    expect(step?.detail).toStartWith(
      'SEARCH deliveries USING COVERING INDEX deliveries_failed (endpoint_id=?',
    )
  })

  test('the messages of a ticket are found without reading those of all tickets', async () => {
    using prepared = spyOn(Connection.prototype, 'prepare')
    const bellhop = await startBellhop()
    const { deps } = bellhop
    const client = await bellhop.organization()
    const { id } = await makeTicket(client)
    await client.call('GET', `/tickets/${id}`)
    await client.call('GET', `/tickets/${id}/messages`)
    await readDocuments(deps, { orgId: client.orgId, ids: [id], size: SMALL_UNIT })
    await client.call('GET', '/messages')
    await bellhop.stop()
    using file = new Connection(join(deps.config.dataFolder, DATABASE_FILE))
    const plans = prepared.mock.calls
      .map(([sql]) => sql)
      .filter((sql) => /^select .*"messages"/s.test(sql))
      .flatMap((sql) => file.query<{ detail: string }, []>(`explain query plan ${sql}`).all())
      .map(({ detail }) => detail)
    expect(plans).toContain('SEARCH messages USING INDEX messages_by_ticket (ticket_id=?)')
    expect(new Set(plans.filter((detail) => detail.includes('messages_by_organization')))).toEqual(
      new Set([
        'SEARCH messages USING INDEX messages_by_organization (org_id=? AND (created_at,id)>(?,?) AND created_at<?)',
      ]),
    )
  })

  test('the queries of every batch of the delivery loop are planned once', async () => {
    using prepared = spyOn(Connection.prototype, 'prepare')
    await using webhooks = await openWebhooks()
    const receiver = await webhooks.receiver()
    await webhooks.endpoint(receiver.url)
    webhooks.deliver()
    await webhooks.ticket()
    await webhooks.newest('succeeded', 1)
    const sorted = prepared.mock.calls.map(([sql]) => sql).filter((sql) => SORTED_BY_LOOP.test(sql))
    expect(new Set(sorted).size).toBe(4)
    for (const sql of sorted) {
      const conditions = sql.slice(sql.lastIndexOf('where', sql.indexOf('order by')))
      expect(conditions.replaceAll(/cast\(\? as \w+\)/g, ''), sql).not.toInclude('?')
    }
  })
})
