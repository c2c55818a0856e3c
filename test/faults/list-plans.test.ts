import { Database as Connection } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { PLACES } from '../../server/database/tables/tickets.ts'
import type { TicketFilters } from '../../server/tickets/filters/ticket-filters.ts'
import { TICKET_SORTS } from '../../server/tickets/list-ranges.ts'
import { listTickets } from '../../server/tickets/list-tickets.ts'
import { findMessagePage, MESSAGE_SORTS } from '../../server/tickets/message-pages.ts'
import {
  ORG,
  onFile,
  openProgram,
  openWorkspace,
  type Place,
  planOf,
  rowsReadOnPostgres,
  seenElsewhere,
  setOnPostgres,
} from '../database/storage.ts'

const AGENT = 'agt_00000000000000000000000001'
/** Each combination of filters, with their values. */
const COMBINATIONS = [undefined, 'open' as const].flatMap((status) =>
  [undefined, 'telegram' as const].flatMap((channel) =>
    [undefined, AGENT, ''].flatMap((assignedTo) =>
      [undefined, 'common', 'rare'].flatMap((tag) =>
        [undefined, [PLACES.spam]].map((places) => ({ status, channel, assignedTo, tag, places })),
      ),
    ),
  ),
)
const DIRECTIONS = [undefined, 'next', 'previous'] as const

/** Uneven on purpose: statistics that say that nearly all tickets are open must not lead the planner astray. */
const FILL = `
  with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < 49)
  insert into customers (id, org_id, name, created_at, updated_at) select 'usr_' || n, '${ORG}', 'Name', 1, 1 from numbers;
  with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 20000)
  insert into tickets (id, org_id, customer_id, status, channel, subject, assigned_to, tags, created_at, updated_at)
  select 'tkt_' || n, '${ORG}', 'usr_' || (n % 50), case when n % 50 = 0 then 'resolved' else 'open' end,
    case when n % 100 = 0 then 'telegram' else 'api' end, 'Subject', case when n % 20 = 0 then '${AGENT}' else '' end,
    '["common"]', n, n * 7919 % 20011 from numbers;
  insert into ticket_tags (org_id, tag, ticket_id, ticket_number, status, channel, assigned_to, place, created_at, updated_at)
  select org_id, 'common', id, number, status, channel, assigned_to, place, created_at, updated_at from tickets
  union all select org_id, 'rare', id, number, status, channel, assigned_to, place, created_at, updated_at from tickets
  where created_at % 500 = 0;
  insert into ticket_counters (org_id, assigned_to, status, tag, channel, place, count)
  select '${ORG}', a.column1, 'open', t.column1, 'telegram', p.column1, 20000
  from (values ('any'), ('${AGENT}'), ('')) a, (values (''), ('common'), ('rare')) t, (values (0), (1), (2), (3)) p;`

describe.if(engine === 'sqlite')('a page of tickets is read along an index, never sorted', () => {
  let workspace: Awaited<ReturnType<typeof openWorkspace>>
  beforeAll(async () => {
    workspace = await openWorkspace()
    onFile(workspace.place, (file) => file.exec(FILL))
  })
  afterAll(() => workspace.deps.database.close())

  for (const statistics of ['without statistics', 'with statistics']) {
    test(`${statistics}, whatever the filter, the order and the direction`, async () => {
      if (statistics === 'with statistics') onFile(workspace.place, (file) => file.exec('ANALYZE'))
      for (const filters of COMBINATIONS) {
        for (const [name, sql] of await queriesFor(filters)) {
          const plan = planOf(workspace.place, sql)
          expect(plan, name).not.toMatch(/SCAN (?!keys)|TEMP B-TREE/)
          const ranges = plan
            .split('\n')
            .filter((step) => /SEARCH (tickets|ticket_tags) USING COVERING INDEX/.test(step))
          // A range for each value of what isn't filtered.
          const count = (filters.status ? 1 : 3) * (filters.channel ? 1 : 4) * (filters.places ? 1 : 4)
          expect(ranges.length, name).toBe(count)
          const columns = [
            'org_id',
            ...(filters.tag === undefined ? [] : ['tag']),
            ...(filters.assignedTo === undefined ? [] : ['assigned_to']),
            'status',
            'channel',
            'place',
          ]
          // The index includes every filter, so rows that don't match aren't read, and a cursor enters it at its time.
          const time =
            filters.tag === undefined
              ? '\\w+_(at|order)[<>]\\?'
              : '\\(\\w+_(at|order),\\w+\\)[<>]\\(\\?,\\?\\)'
          const start = name.includes('sort_at_start') ? '' : ` AND ${time}`
          const wanted = new RegExp(
            `\\(${columns.map((column) => `${column}=\\?`).join(' AND ')}${start}\\)$`,
          )
          for (const range of ranges) expect(range, name).toMatch(wanted)
        }
      }
    })
  }

  test('the messages before a page of a ticket are counted and passed over in the index alone', async () => {
    await using fresh = await openProgram(workspace.place)
    const places = new Map<string, RegExp>()
    for (const sort of MESSAGE_SORTS) {
      for (const direction of DIRECTIONS) {
        using prepared = spyOn(Connection.prototype, 'prepare')
        const cursor = direction && { direction, list: '', at: 10_000, id: 'msg_5', page: 2 }
        const wanted = { sort, page: 1, perPage: 25, cursor }
        await findMessagePage(fresh.deps.database.read, { orgId: ORG, ticketId: 'tkt_5' }, wanted)
        for (const [sql] of prepared.mock.calls)
          places.set(sql, direction ? /created_at,id\)/ : /ticket_id=\?/)
      }
    }
    // Each order at its start and after a place, where forward in one is backward in the other; and one that counts.
    expect(places.size).toBe(MESSAGE_SORTS.length * 2 + 1)
    for (const [sql, range] of places) {
      const steps = planOf(workspace.place, sql).split('\n')
      const passed = steps.filter((step) =>
        /SEARCH messages USING (COVERING )?INDEX messages_by_ticket/.test(step),
      )
      expect(passed, sql).toEqual([expect.stringMatching(/COVERING/)])
      expect(passed[0], sql).toMatch(range)
    }
  })

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
        if (direction !== 'next') expect(queries).not.toBeEmpty()
        for (const sql of queries) {
          const start = /_(at|order)", "\w+"\."(ticket_)?number"\) [<>]/.test(sql)
            ? 'after a start'
            : 'sort_at_start'
          found.push([`${JSON.stringify(filters)} ${sort} ${direction} ${start}`, sql])
        }
      }
    }
    return found
  }
})

/** The rows of a page and of what belongs to them, a row for each range, the counters, and for a page by number those before it. */
const ROWS_OF_A_LIST = 200

describe.if(engine === 'postgresql')(
  'PostgreSQL reads the rows of a page of tickets, not those of its ranges',
  () => {
    let place: Place
    beforeAll(async () => {
      const workspace = await openWorkspace()
      await workspace.deps.database.close()
      place = workspace.place
      await seenElsewhere(place, FILL)
    })

    for (const [planning, mode] of [
      ['without statistics', 'force_custom_plan'],
      ['with statistics', 'force_custom_plan'],
      ['planned once', 'force_generic_plan'],
    ] as const) {
      test(`${planning}, whatever the filter, the order and the direction`, async () => {
        if (planning === 'with statistics') await seenElsewhere(place, 'analyze')
        await setOnPostgres(place, `plan_cache_mode = ${mode}`)
        for (const filters of COMBINATIONS) {
          let lists = 0
          const rows = await rowsReadOnPostgres(place, async ({ deps }) => {
            for (const sort of TICKET_SORTS) {
              for (const direction of DIRECTIONS) {
                const cursor = direction && { direction, list: '', at: 10_000, id: 'tkt_5', page: 2 }
                await listTickets(deps, ORG, { filters, sort, page: 3, perPage: 25, cursor })
                lists += 1
              }
            }
          })
          expect(rows, JSON.stringify(filters)).toBeLessThan(lists * ROWS_OF_A_LIST)
        }
      })
    }
  },
)
