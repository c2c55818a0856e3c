import { Database as Connection } from 'bun:sqlite'
import { describe, expect, spyOn, test } from 'bun:test'
import { join } from 'node:path'
import { engine } from '../../server/database/columns.ts'
import { DATABASE_FILE } from '../../server/database/open.ts'
import { readResendJob, resendFailedSince, startResending } from '../../server/webhooks/resend.ts'
import { eventually, openWebhooks } from '../support/webhooks.ts'

describe.if(engine === 'sqlite')('on SQLite', () => {
  test('a resend of all that failed looks at what failed only', async () => {
    await using webhooks = await openWebhooks()
    const { deps, orgId } = webhooks
    const { endpoint } = await webhooks.endpoint('https://127.0.0.1:1/')
    using prepared = spyOn(Connection.prototype, 'prepare')
    const job = await resendFailedSince(deps, orgId, { endpointId: endpoint.id, since: 0 })
    const resending = startResending(deps)
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
})
