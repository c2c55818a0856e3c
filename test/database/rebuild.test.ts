import { describe, expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { MIGRATIONS } from '../../server/database/migrations.ts'
import { emptyPlace } from '../support/engine.ts'
import { makeFilled, migrateTo } from './filled.ts'
import { openStorage, seenElsewhere } from './storage.ts'

const CHILDREN = 'select ticket_id from messages union all select ticket_id from ticket_tags'

/** How drizzle-kit changes a column on SQLite: a new table takes the rows and then the name. */
function rebuildTickets(which: string): string {
  return `PRAGMA foreign_keys=OFF;--> statement-breakpoint
    create table __new_tickets as select * from tickets ${which};--> statement-breakpoint
    drop table tickets;--> statement-breakpoint
    create table tickets (number integer primary key, id text not null unique, customer_id text references customers (id));--> statement-breakpoint
    insert into tickets select number, id, customer_id from __new_tickets;--> statement-breakpoint
    drop table __new_tickets;--> statement-breakpoint
    PRAGMA foreign_keys=ON;`
}

describe.if(engine === 'sqlite')('a migration that rebuilds a table', () => {
  test('keeps the rows of the tables that point to it', async () => {
    const place = await emptyPlace()
    await makeFilled(place, MIGRATIONS.sqlite.length)
    await migrateTo(place, [...MIGRATIONS.sqlite, { name: 'rebuild', sql: rebuildTickets('') }])
    expect(await seenElsewhere(place, CHILDREN)).toHaveLength(6)
    expect(await seenElsewhere(place, 'PRAGMA foreign_key_check')).toEqual([])
    expect(await seenElsewhere(place, 'select id from tickets')).toHaveLength(3)
  })

  test('is refused when it loses a row that others point to, and nothing is changed', async () => {
    const place = await emptyPlace()
    await makeFilled(place, MIGRATIONS.sqlite.length)
    const lossy = { name: 'lossy', sql: rebuildTickets(`where id <> '2'`) }
    const refusal = await migrateTo(place, [...MIGRATIONS.sqlite, lossy]).catch((error) => error)
    expect(refusal.message).toBe(
      'Migration lossy would leave rows with broken references. Nothing was changed.',
    )
    expect(await seenElsewhere(place, CHILDREN)).toHaveLength(6)
    await using storage = await openStorage(undefined, place)
    await storage.database.write(undefined, async () => 'still writes')
  })
})
