import { Database as Connection } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import type { Deps } from '../../server/deps.ts'
import { createViewCounter, readCounts } from '../../server/inbox/counts.ts'
import { listInbox } from '../../server/inbox/list-inbox.ts'
import { TICKET_SORTS } from '../../server/tickets/list-ranges.ts'
import {
  ORG,
  onFile,
  openProgram,
  openWorkspace,
  planOf,
  rowsReadOnPostgres,
  seenElsewhere,
} from '../database/storage.ts'

const ME = 'agt_00000000000000000000000001'
const STATUSES = 3
const CHANNELS = 4
/** Each view, the number of ranges it is made of, and their index in the order of last activity. */
const VIEWS: [string, number, RegExp][] = [
  ['', STATUSES * CHANNELS, /tickets_by_messaged \(org_id=\? AND status=\? AND channel=\? AND place=\?/],
  ['status:open', CHANNELS, /tickets_by_messaged \(/],
  ['-status:open', 2 * CHANNELS, /tickets_by_messaged \(/],
  ['channel:api', STATUSES, /tickets_by_messaged \(/],
  ['-channel:email -channel:widget', STATUSES * 2, /tickets_by_messaged \(/],
  ['assigned:me', STATUSES * CHANNELS, /tickets_by_assignee_messaged \(org_id=\? AND assigned_to=\?/],
  ['status:open assigned:me', CHANNELS, /tickets_by_assignee_messaged \(/],
  ['status:open assigned:none', CHANNELS, /tickets_by_assignee_messaged \(/],
  ['tag:common', STATUSES * CHANNELS, /ticket_tags_by_messaged \(org_id=\? AND tag=\?/],
  ['status:open tag:rare', CHANNELS, /ticket_tags_by_messaged \(/],
  ['tag:common assigned:me', STATUSES * CHANNELS, /ticket_tags_by_assignee_messaged \(/],
  ['tag:common tag:rare', STATUSES * CHANNELS, /ticket_tags_by_messaged \(/],
  [
    'status:open before:2026-03-01',
    CHANNELS,
    /tickets_by_messaged \(.* AND last_message_at>\? AND last_message_at</,
  ],
  ['status:open is:unread', CHANNELS, /tickets_by_messaged \(/],
  ['is:spam', STATUSES * CHANNELS, /tickets_by_messaged \(/],
]

/** Two tickets of a list. Everything is read on this thread, where the queries can be seen. */
function list(deps: Deps, request: Pick<Parameters<typeof listInbox>[2], 'q' | 'sort' | 'cursor'>) {
  const database = { ...deps.database, background: deps.database.read }
  return deps.expensiveReads.run({}, (expensive) =>
    listInbox({ ...deps, database }, ORG, { me: ME, limit: 2, expensive, ...request }),
  )
}

const FILL = `
  with recursive numbers(n) as (select 0 union all select n + 1 from numbers where n < 49)
  insert into customers (id, org_id, name, created_at, updated_at) select 'usr_' || n, '${ORG}', 'Name', 1, 1 from numbers;
  with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 5000)
  insert into tickets (id, org_id, customer_id, status, channel, subject, assigned_to, tags, place, created_at, updated_at, last_message_at, waiting_order)
  select 'tkt_0000000000000000000000' || (1000 + n), '${ORG}', 'usr_' || (n % 50), case when n % 50 = 0 then 'pending' else 'open' end, 'api', 'Subject',
    case when n % 20 = 0 then '${ME}' else '' end, '["common"]', case when n % 500 = 0 then 1 else 0 end, n, n * 7919 % 5003, n * 7919 % 5003, n from numbers;
  insert into ticket_tags (org_id, tag, ticket_id, ticket_number, status, channel, assigned_to, place, created_at, updated_at, last_message_at, waiting_order)
  select org_id, 'common', id, number, status, channel, assigned_to, place, created_at, updated_at, last_message_at, waiting_order from tickets
  union all select org_id, 'rare', id, number, status, channel, assigned_to, place, created_at, updated_at, last_message_at, waiting_order from tickets
  where created_at % 99 = 0;
  insert into messages (id, org_id, ticket_id, role, text, sending, created_at)
  select 'msg_' || id, org_id, id, 'agent', 'Text', case when created_at % 1000 = 0 then 'failed' else 'sent' end, created_at from tickets;
  insert into scheduled_messages (id, org_id, ticket_id, agent_id, agent_name, text, seen_message_id, is_held, send_at, created_at)
  select 'msg_' || id, org_id, id, '${ME}', 'Me', 'Text', 'msg_' || id, created_at % 1000 = 0, 1, created_at from tickets;
  insert into ticket_counters (org_id, assigned_to, status, tag, channel, place, count)
  select '${ORG}', 'any', status, tag, channel, place, count(*) from ticket_tags group by 3, 4, 5, 6
  union all select '${ORG}', 'any', 'open', id, 'api', 0, 1 from tickets;`

describe.if(engine === 'sqlite')('the inbox is read along an index, whatever the total', () => {
  let workspace: Awaited<ReturnType<typeof openWorkspace>>
  beforeAll(async () => {
    workspace = await openWorkspace()
    onFile(workspace.place, (file) => file.exec(FILL))
  })
  afterAll(() => workspace.deps.database.close())

  for (const statistics of ['without statistics', 'with statistics']) {
    test(`${statistics}, each view has its index, in its order, from the cursor on`, async () => {
      if (statistics === 'with statistics') onFile(workspace.place, (file) => file.exec('ANALYZE'))
      for (const [q, size, index] of VIEWS) {
        const keys = (await queriesFor(q)).filter((query) => query.includes('union all'))
        // The first page and the second, and for some the ends of slices.
        expect(keys.length, q).toBeGreaterThanOrEqual(2)
        for (const query of keys) {
          const plan = planOf(workspace.place, query)
          expect(plan, `${q}: ${query}`).not.toMatch(/SCAN (?!keys)|TEMP B-TREE/)
          const ranges = plan
            .split('\n')
            .filter((step) => /^SEARCH (tickets|ticket_tags) USING COVERING/.test(step))
          expect(ranges.length, q).toBe(size)
          for (const range of ranges) {
            expect(range, q).toMatch(index)
            if (query.includes(') < ('))
              expect(range, q).toMatch(
                /\(last_message_at,(number|ticket_number|rowid)\)<\(\?,\?\)|last_message_at</,
              )
          }
        }
      }
    })
  }

  test('failed sends, held replies and drafts each have an index, and no list scans a table', async () => {
    for (const q of [
      'is:failed',
      'is:held',
      'is:held status:open',
      'is:draft',
      'is:failed status:open',
      'is:suggested',
      'is:suggested status:open',
      'is:spam tag:common',
      'subject',
      'from:ana',
      '#md2gax',
    ]) {
      for (const sort of TICKET_SORTS) {
        for (const query of await queriesFor(q, sort)) {
          const plan = planOf(workspace.place, query)
          expect(plan, `${q}: ${query}`).not.toMatch(
            /SCAN (?!search_index VIRTUAL|json_each VIRTUAL|CONSTANT|keys|failed|one\b)/,
          )
          if (query.includes("'failed'") && query.includes(' in (select'))
            expect(plan).toContain('INDEX messages_failed')
          if (query.includes('is_held') && query.includes(' in (select'))
            expect(plan).toContain('INDEX scheduled_messages_held')
          if (query.includes('and is_suggested')) expect(plan).toContain('INDEX tickets_suggested')
          if (query.includes('substr("tickets"')) expect(plan).toContain('INDEX tickets_by_handle')
        }
      }
    }
  })

  test('snoozed tickets are read in the order in which they wake, and mentions from those of the agent', async () => {
    await using fresh = await openProgram(workspace.place)
    using prepared = spyOn(Connection.prototype, 'prepare')
    await list(fresh.deps, { q: 'is:snoozed', sort: 'wake' })
    await list(fresh.deps, { q: 'is:mentioned', sort: 'mention_desc' })
    const plans = prepared.mock.calls.map(([query]) => planOf(workspace.place, query)).join('\n')
    expect(plans).toContain('SEARCH tickets USING INDEX tickets_by_wake (org_id=?')
    expect(plans).toContain('mentions_by_agent (org_id=? AND agent_id=?)')
    expect(plans).toContain('SEARCH mine USING INDEX mentions_by_ticket (ticket_id=?)')
    expect(plans).not.toMatch(/SCAN tickets/)
  })

  test('counts read counters, the failed messages and the held replies only', async () => {
    await using fresh = await openProgram(workspace.place)
    using prepared = spyOn(Connection.prototype, 'prepare')
    await readCounts(fresh.deps, createViewCounter(), ORG, ME)
    const plans = prepared.mock.calls.map(([query]) => planOf(workspace.place, query))
    expect(plans.length).toBeGreaterThanOrEqual(4)
    for (const plan of plans) expect(plan).not.toMatch(/SCAN (?!failed|scheduled|suggested\b)/)
    expect(plans.join('\n')).toContain('USING INDEX messages_failed (org_id=?)')
    expect(plans.join('\n')).toContain('USING INDEX scheduled_messages_held (org_id=?)')
    expect(plans.join('\n')).toContain('USING INDEX tickets_suggested (org_id=?)')
  })

  /** The queries of two pages as SQLite was given them. A new connection prepares each of them anew. */
  async function queriesFor(
    q: string,
    sort: (typeof TICKET_SORTS)[number] = 'message_desc',
  ): Promise<string[]> {
    await using fresh = await openProgram(workspace.place)
    using prepared = spyOn(Connection.prototype, 'prepare')
    const { nextCursor } = await list(fresh.deps, { q, sort })
    if (nextCursor !== undefined) await list(fresh.deps, { q, sort, cursor: nextCursor })
    return prepared.mock.calls.map(([query]) => query)
  }
})

/** A row for each range, and for both pages their rows and what belongs to them. */
const ROWS_OF_A_VIEW = 300
/** PostgreSQL reads a table of ten mentions whole, for each of them. The tickets are 5,000. */
const ROWS_OF_AN_ORDER = 1_000
/** Lists in an order of their own. */
const ORDERED = [
  { q: '', sort: 'waiting' },
  { q: 'is:snoozed', sort: 'wake' },
  { q: 'is:mentioned', sort: 'mention_desc' },
] as const
const MENTIONS_AND_SNOOZES = `
  insert into notes (id, org_id, ticket_id, agent_id, agent_name, text, created_at)
  select 'not_' || id, org_id, id, '${ME}', 'Me', 'Text', created_at from tickets where created_at % 500 = 1;
  insert into mentions (org_id, note_id, agent_id, ticket_id, created_at)
  select org_id, id, '${ME}', ticket_id, created_at from notes;
  update tickets set place = 2, snoozed_until = created_at where created_at % 500 = 2;`
/** One of their filters has no index: tickets are examined until a page is full. */
const EXAMINING = ['tag:common tag:rare', 'status:open is:unread']

describe.if(engine === 'postgresql')('of the inbox, too, PostgreSQL reads the rows of a page', () => {
  test('with statistics, whatever the view', async () => {
    const { place, deps } = await openWorkspace()
    await deps.database.close()
    await seenElsewhere(place, FILL + MENTIONS_AND_SNOOZES)
    await seenElsewhere(place, 'analyze')
    const views = VIEWS.flatMap(([q]) => (EXAMINING.includes(q) ? [] : { q }))
    for (const request of [...views, ...ORDERED]) {
      const rows = await rowsReadOnPostgres(place, async (program) => {
        const { nextCursor } = await list(program.deps, request)
        if (nextCursor !== undefined) await list(program.deps, { ...request, cursor: nextCursor })
      })
      expect(rows, request.q).toBeLessThan('sort' in request ? ROWS_OF_AN_ORDER : ROWS_OF_A_VIEW)
    }
  })
})
