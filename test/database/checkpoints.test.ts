import { Database as Connection } from 'bun:sqlite'
import { describe, expect, spyOn, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { ORG, openWorkspace, seenElsewhere } from './storage.ts'

const MiB = 2 ** 20

describe.if(engine === 'sqlite')('the log of a database that is written to without a pause', () => {
  test('stays short, and is moved into the database in another thread only', async () => {
    await using workspace = await openWorkspace()
    using executed = spyOn(Connection.prototype, 'exec')
    let made = 0
    const write = async () => {
      while (made < 1_200) {
        made += 1
        const customer = { email: `c${made % 100}@example.com` }
        await createTicket(workspace.deps, ORG, { subject: 'Order', customer, message: 'x'.repeat(20_000) })
      }
    }
    await Promise.all(Array.from({ length: 8 }, write))
    const { database, wal } = await workspace.deps.database.size()
    // 24 MB of text were written. A batch may be longer than the limit of the log.
    expect(database).toBeGreaterThan(20 * MiB)
    expect(wal).toBeLessThan(12 * MiB)
    expect(executed.mock.calls.flat().join()).not.toContain('wal_checkpoint')
    expect(await seenElsewhere(workspace.place, 'select count(*) as made from tickets')).toEqual([
      { made: 1_200 },
    ])
  })
})
