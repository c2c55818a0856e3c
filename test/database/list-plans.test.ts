import { Database as Connection } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { listTickets, TICKET_SORTS, type TicketFilters } from '../../server/tickets/list-tickets.ts'
import { ORG, onFile, openProgram, openWorkspace, planOf } from './storage.ts'

const AGENT = 'agt_00000000000000000000000001'
const SINGLE: TicketFilters[] = [
  {},
  { status: 'open' },
  { status: 'resolved' },
  { channel: 'api' },
  { channel: 'telegram' },
  { assignedTo: AGENT },
  { assignedTo: '' },
  { tag: 'common' },
  { tag: 'rare' },
]
const SEVERAL: TicketFilters[] = [
  { status: 'open', assignedTo: '' },
  { status: 'pending', tag: 'rare' },
  { status: 'open', channel: 'api', assignedTo: AGENT, tag: 'common' },
]
const DIRECTIONS = [undefined, 'next', 'previous'] as const

/** So that no list is known to be empty without a look at the tickets. */
const COUNTED = [
  'all',
  ...['status:open', 'status:resolved', 'status:pending', 'channel:api', 'channel:telegram'],
  ...['assignedTo:', `assignedTo:${AGENT}`, 'status:open,assignedTo:', 'tag:common', 'tag:rare'],
]

/** Uneven on purpose: statistics that say that nearly all tickets are open must not lead the planner astray. */
const FILL = `
  with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 20000)
  insert into tickets (id, org_id, customer_id, status, channel, subject, assigned_to, tags, created_at, updated_at)
  select 'tkt_' || n, '${ORG}', 'usr_' || (n % 50), case when n % 50 = 0 then 'resolved' else 'open' end,
    case when n % 100 = 0 then 'telegram' else 'api' end, 'Subject', case when n % 20 = 0 then '${AGENT}' else '' end,
    '["common"]', n, n * 7919 % 20011 from numbers;
  insert into customers (id, org_id, name, created_at, updated_at)
  select distinct customer_id, org_id, 'Name', 1, 1 from tickets;
  insert into ticket_tags select org_id, 'common', id, created_at, updated_at from tickets;
  insert into ticket_tags select org_id, 'rare', id, created_at, updated_at from tickets where created_at % 500 = 0;
  insert into ticket_counters values ${COUNTED.map((filter) => `('${ORG}', '${filter}', 20000)`)};`

describe.if(engine === 'sqlite')('a page of tickets is read along an index, never sorted', () => {
  let workspace: Awaited<ReturnType<typeof openWorkspace>>
  beforeAll(async () => {
    workspace = await openWorkspace()
    onFile(workspace.place, (file) => file.exec(`PRAGMA foreign_keys = OFF; ${FILL}`))
  })
  afterAll(() => workspace.deps.database.close())

  for (const statistics of ['without statistics', 'with statistics']) {
    test(`${statistics}, whatever the filter, the order and the direction`, async () => {
      if (statistics === 'with statistics') onFile(workspace.place, (file) => file.exec('ANALYZE'))
      for (const filters of SINGLE) {
        for (const [name, sql] of await queriesFor(filters)) {
          const plan = planOf(workspace.place, sql)
          expect(plan, name).toMatch(
            /^SEARCH (tickets|ticket_tags) USING (COVERING )?INDEX \w+_by_\w+ \(org_id=\?/,
          )
          expect(plan, name).not.toMatch(/SCAN|TEMP B-TREE/)
          // A cursor enters the index at its place instead of counting rows up to it.
          if (!name.endsWith('page')) expect(plan, name).toMatch(/\(\w+_at,\w+\)[<>]\(\?,\?\)/)
          // The index includes the filter, so rows that don't match aren't read.
          for (const column of Object.keys(filters)) expect(plan, name).toContain(`${columnOf(column)}=?`)
        }
      }
      for (const filters of SEVERAL) {
        for (const [name, sql] of await queriesFor(filters)) {
          expect(planOf(workspace.place, sql), name).not.toMatch(/SCAN|TEMP B-TREE/)
        }
      }
    })
  }

  /** The page queries as SQLite was given them. A new connection prepares each of them anew. */
  async function queriesFor(filters: TicketFilters): Promise<[string, string][]> {
    await using fresh = await openProgram(workspace.place)
    const found: [string, string][] = []
    for (const sort of TICKET_SORTS) {
      for (const direction of DIRECTIONS) {
        using prepared = spyOn(Connection.prototype, 'prepare')
        const cursor = direction && { direction, list: '', at: 10_000, id: 'tkt_5', page: 2 }
        await listTickets(fresh.deps, ORG, { filters, sort, page: 3, perPage: 25, cursor })
        const queries = prepared.mock.calls.map(([query]) => query).filter((query) => query.includes('limit'))
        // A page by number continues like one after a cursor, whose query exists by then.
        if (direction !== 'next' && SINGLE.includes(filters)) expect(queries).not.toBeEmpty()
        for (const sql of queries) {
          const kind = sql.includes('offset') ? 'page' : (direction ?? 'next')
          found.push([`${JSON.stringify(filters)} ${sort} ${kind}`, sql])
        }
      }
    }
    return found
  }
})

function columnOf(filter: string): string {
  return filter === 'assignedTo' ? 'assigned_to' : filter
}
