import { Database as Connection } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { listCustomers } from '../../server/customers/directory/list-customers.ts'
import { engine } from '../../server/database/columns.ts'
import {
  ORG,
  onFile,
  openProgram,
  openWorkspace,
  planOf,
  rowsReadOnPostgres,
  seenElsewhere,
} from '../database/storage.ts'

/** A hundred thousand customers, each second with a ticket, and one with many. */
const FILL = `
  with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 100000)
  insert into customers (id, org_id, name, email, email_key, created_at, updated_at)
  select 'usr_' || printf('%026d', n), '${ORG}', 'Name ' || n, n || '@example.com', n || '@example.com', 1, 1 from numbers;
  insert into tickets (id, org_id, customer_id, status, channel, subject, assigned_to, tags, created_at, updated_at, last_message_at)
  select 'tkt_' || substr(id, 5), org_id, id, 'open', 'api', 'Subject', '', '[]', 1, 1, 1 from customers where rowid % 2 = 0;`

describe.if(engine === 'sqlite')('a page of customers is read along an index, never sorted', () => {
  let workspace: Awaited<ReturnType<typeof openWorkspace>>
  beforeAll(async () => {
    workspace = await openWorkspace()
    onFile(workspace.place, (file) => file.exec(FILL))
  })
  afterAll(() => workspace.deps.database.close())

  for (const statistics of ['without statistics', 'with statistics']) {
    test(`${statistics}, at the start and after a place`, async () => {
      if (statistics === 'with statistics') onFile(workspace.place, (file) => file.exec('ANALYZE'))
      await using fresh = await openProgram(workspace.place)
      using prepared = spyOn(Connection.prototype, 'prepare')
      const first = await listCustomers(fresh.deps, ORG, {})
      expect(first.customers).toHaveLength(50)
      await listCustomers(fresh.deps, ORG, { cursor: first.nextCursor })
      const queries = prepared.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('"customers"'))
      expect(queries.length).toBeGreaterThan(1)
      for (const sql of queries) {
        const plan = planOf(workspace.place, sql)
        expect(plan, sql).not.toMatch(/SCAN (?!counted|\()|TEMP B-TREE/)
        expect(plan, sql).toMatch(
          /SEARCH customers USING INDEX (customers_by_id|sqlite_autoindex_customers_1)/,
        )
      }
      const ofTickets = queries.filter((sql) => sql.includes('from tickets own'))
      expect(ofTickets.length).toBeGreaterThan(1)
      for (const sql of ofTickets) {
        expect(planOf(workspace.place, sql), sql).toMatch(
          /SEARCH own USING (COVERING )?INDEX tickets_by_customer/,
        )
      }
    })
  }
})

/** The rows of two pages, and what belongs to them. */
const ROWS_OF_TWO_PAGES = 500

describe.if(engine === 'postgresql')('of the customers, too, PostgreSQL reads the rows of a page', () => {
  test('at the start and after a place', async () => {
    const { place, deps } = await openWorkspace()
    await deps.database.close()
    const onPostgres = FILL.replace(
      'with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 100000)',
      '',
    )
      .replace('from numbers;', 'from generate_series(1, 100000) n;')
      .replace("printf('%026d', n)", "lpad(n::text, 26, '0')")
      .replace('rowid % 2 = 0', "right(id, 1) in ('0', '2', '4', '6', '8')")
    await seenElsewhere(place, onPostgres)
    for (const statistics of ['', 'analyze']) {
      if (statistics !== '') await seenElsewhere(place, statistics)
      const rows = await rowsReadOnPostgres(place, async (program) => {
        const first = await listCustomers(program.deps, ORG, {})
        expect(first.customers).toHaveLength(50)
        await listCustomers(program.deps, ORG, { cursor: first.nextCursor })
      })
      expect(rows, statistics).toBeLessThan(ROWS_OF_TWO_PAGES)
    }
  })
})
