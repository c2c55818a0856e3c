import { Database as Connection } from 'bun:sqlite'
import { afterAll, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { engine } from '../../server/database/columns.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { problemOf } from '../support/tickets.ts'
import { databaseFile } from './storage.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

test('a change that the database rejects is logged with its cause and without what the customer wrote', async () => {
  const client = await bellhop.organization()
  await rejectMessages(bellhop)
  const body = {
    subject: 'PRIVATE subject',
    customer: { name: 'PRIVATE name', email: 'private@example.org' },
    message: 'PRIVATE text\n    at /private/place.ts:1:1',
  }
  const { requestId } = problemOf(await client.call('POST', '/tickets', { body }), 500, 'internal_error')
  const [line = ''] = bellhop.logLines.filter((one) => one.includes(requestId))
  expect(line).toContain('no messages today')
  expect(bellhop.logLines.join('\n')).not.toMatch(/private/i)
})

async function rejectMessages({ deps: { config } }: Bellhop): Promise<void> {
  if (engine === 'sqlite') {
    using other = new Connection(databaseFile({ BELLHOP_DATA: config.dataFolder }))
    other.run(
      `create trigger t before insert on messages begin select raise(abort, 'no messages today'); end`,
    )
    return
  }
  await using client = new SQL(config.databaseUrl ?? '', { max: 1 })
  await client.unsafe(
    `create function reject() returns trigger language plpgsql as $$ begin raise exception 'no messages today'; end $$`,
  )
  await client.unsafe('create trigger t before insert on messages for each row execute function reject()')
}
