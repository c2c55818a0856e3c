import { Database as Connection } from 'bun:sqlite'
import { describe, expect, spyOn, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import type { Deps } from '../../server/deps.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import { databaseFile, ORG, openWorkspace, seenElsewhere } from '../database/storage.ts'

const MiB = 2 ** 20
const TICKETS = 1_200

describe.if(engine === 'sqlite')('the log of a database that is written to without a pause', () => {
  test('stays short, and is moved into the database in another thread only', async () => {
    await using workspace = await openWorkspace()
    using executed = spyOn(Connection.prototype, 'exec')
    await createTickets(workspace.deps)
    const { database, wal } = await workspace.deps.database.size()
    // 24 MB of text were written. A batch may be longer than the limit of the log.
    expect(database).toBeGreaterThan(20 * MiB)
    expect(wal).toBeLessThan(12 * MiB)
    expect(executed.mock.calls.flat().join()).not.toContain('wal_checkpoint')
    expect(await seenElsewhere(workspace.place, 'select count(*) as made from tickets')).toEqual([
      { made: TICKETS },
    ])
  })
})

test.if(engine === 'sqlite')('a log that grew during a long read is short again afterward', async () => {
  await using workspace = await openWorkspace()
  const { deps, place } = workspace
  const logSize = async () => (await deps.database.size()).wal
  const longRead = new Connection(databaseFile(place), { readonly: true })
  longRead.exec('BEGIN')
  longRead.query('SELECT count(*) FROM tickets').get()
  await createTickets(deps)
  expect(await logSize()).toBeGreaterThan(20 * MiB)
  longRead.close()
  // The first write moves the log into the database, and a later one starts it anew.
  while ((await logSize()) > 16 * MiB) await createTicket(deps, ORG, ticket(0))
  expect(await seenElsewhere(place, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
})

/** 24 MB of text. */
async function createTickets(deps: Deps): Promise<void> {
  let made = 0
  const write = async () => {
    while (made < TICKETS) {
      made += 1
      await createTicket(deps, ORG, ticket(made))
    }
  }
  await Promise.all(Array.from({ length: 8 }, write))
}

function ticket(number: number) {
  const customer = { email: `c${number % 100}@example.com` }
  return { subject: 'Order', customer, message: 'x'.repeat(20_000) }
}
