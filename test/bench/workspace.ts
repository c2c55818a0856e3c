import { Database } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApiKey } from '../../server/api-keys/api-keys.ts'
import { readConfig } from '../../server/config.ts'
import { DATABASE_FILE } from '../../server/database/open.ts'
import { createLog } from '../../server/log.ts'
import { openDeps } from '../../server/open-deps.ts'
import { createOrganization } from '../../server/organizations/organizations.ts'
import { createEndpoint, disableEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'

/** A data folder with an organization, ready to be served. */
export interface Workspace {
  folder: string
  file: string
  orgId: string
  key: string
  endpointId: string
  remove(): void
}

const silent = createLog('error', false, () => {}, Date.now)

/** On disk, not in memory: a commit costs here what it costs. */
export async function makeWorkspace(
  endpoint: { url: string; isOff: boolean; allow?: string } = {
    url: 'https://example.com/hooks',
    isOff: true,
  },
): Promise<Workspace> {
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-bench-'))
  const { DATABASE_URL } = process.env
  const config = readConfig({ BELLHOP_DATA: folder, BELLHOP_WEBHOOK_ALLOW: endpoint.allow, DATABASE_URL })
  const deps = await openDeps(config, { log: silent })
  const { id: orgId } = await createOrganization(deps, { name: 'Bench' })
  const { secret: key } = await createApiKey(deps, orgId, {
    name: 'Bench',
    kind: 'secret',
    rateLimit: 1_000_000,
  })
  const made = await createEndpoint(deps, orgId, {
    url: endpoint.url,
    events: ['ticket.created', 'message.sent'],
  })
  if (endpoint.isOff) await disableEndpoint(deps, orgId, made.endpoint.id)
  await deps.database.close()
  const file = join(folder, DATABASE_FILE)
  return {
    folder,
    file,
    orgId,
    key,
    endpointId: made.endpoint.id,
    remove: () => rmSync(folder, { recursive: true }),
  }
}

export const AGENT = 'agt_00000000000000000000000001'

/** Fills a workspace with tickets in a few statements: a third each status, a quarter each channel, a tenth tagged. */
export function fillTickets({ file, orgId }: Pick<Workspace, 'file' | 'orgId'>, howMany: number): void {
  const database = new Database(file)
  // A server may write into it just then.
  database.exec('PRAGMA busy_timeout = 10000; PRAGMA synchronous = OFF; PRAGMA cache_size = -400000')
  database.exec(`BEGIN IMMEDIATE; ${ticketsSql(orgId, howMany)}`)
  fillLists(database)
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
}

/** What lists are read from, from the tickets: the rows of their tags, and the counters. */
export function fillLists(database: Database): void {
  database.exec(listsSql('json_each(tags)'))
}

/** The statements of `fillTickets` for PostgreSQL. */
export function postgresTicketsSql(orgId: string, howMany: number): string {
  const tags = 'json_array_elements_text(cast(tags as json)) as tags_of_ticket (value)'
  return `${ticketsSql(orgId, howMany)} ${listsSql(tags)} ANALYZE`
}

function ticketsSql(orgId: string, howMany: number): string {
  const id = (prefix: string, number: string) =>
    `'${prefix}_' || substr('${'0'.repeat(26)}' || (${number}), length(cast(${number} as text)) + 1)`
  return `
    WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
      INSERT INTO customers (id, org_id, name, email, email_key, version, created_at, updated_at)
      SELECT ${id('usr', 'i')}, '${orgId}', 'Customer ' || i, 'c' || i || '@example.com', 'c' || i || '@example.com', 1, 0, 0 FROM n;
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${howMany})
      INSERT INTO tickets (id, org_id, customer_id, status, channel, subject, assigned_to, tags, version, created_at, updated_at, last_message_at, waiting_order)
      SELECT ${id('tkt', 'i')}, '${orgId}', ${id('usr', 'i % 1000')},
        CASE i % 3 WHEN 0 THEN 'open' WHEN 1 THEN 'pending' ELSE 'resolved' END,
        CASE i % 4 WHEN 0 THEN 'widget' WHEN 1 THEN 'email' WHEN 2 THEN 'telegram' ELSE 'api' END,
        'Ticket ' || i, CASE i % 5 WHEN 0 THEN '' ELSE ${id('agt', 'i % 5')} END,
        CASE i % 10 WHEN 0 THEN '["vip"]' ELSE '[]' END, 1, 1700000000000 + i * 1000, 1700000000000 + i * 1000, 1700000000000 + i * 1000,
        CASE i % 3 WHEN 2 THEN 9000000000000000 - 1700000000000 - i * 1000 ELSE 1700000000000 + i * 1000 END FROM n;`
}

function listsSql(tags: string): string {
  const counters = [`'any'`, 'assigned_to'].flatMap((assignee) =>
    [
      [`''`, 'tickets'],
      ['tag', 'ticket_tags'],
    ].map(
      ([tag, table]) => `
      INSERT INTO ticket_counters (org_id, assigned_to, status, tag, channel, place, count)
        SELECT org_id, ${assignee}, status, ${tag}, channel, place, count(*) FROM ${table} GROUP BY 1, 2, 3, 4, 5, 6;`,
    ),
  )
  return `
    DELETE FROM ticket_tags; DELETE FROM ticket_counters;
    INSERT INTO ticket_tags (org_id, tag, ticket_id, ticket_number, status, channel, assigned_to, place, created_at, updated_at, last_message_at, waiting_order)
      SELECT org_id, value, tickets.id, tickets.number, status, channel, assigned_to, place, created_at, updated_at, last_message_at, waiting_order
      FROM tickets, ${tags};
    ${counters.join('')}`
}

/** Fills a workspace with deliveries that are due, one for each of as many events with a body of some 500 bytes. */
export function fillDeliveries({ file, orgId, endpointId }: Workspace, howMany: number): void {
  const body = Buffer.from(
    JSON.stringify({ event: 'message.sent', data: { message: { text: 'x'.repeat(400) } } }),
  )
  const database = new Database(file)
  database.exec('PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; BEGIN')
  database
    .query(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO events (org_id, number, type, ticket_id, body, created_at)
      SELECT id, last_event + i, 'message.sent', 'tkt_00000000000000000000000001', ?, 1700000000000 + i
        FROM n, organizations WHERE id = ?`,
    )
    .run(howMany, body, orgId)
  database
    .query(
      `INSERT INTO deliveries (id, org_id, endpoint_id, event_number, event_type, ticket_id, state, due_at, created_at)
      SELECT printf('dlv_%026d', number), org_id, ?, number, type, ticket_id, 'pending', created_at, created_at FROM events
        WHERE type = 'message.sent'`,
    )
    .run(endpointId)
  database.query('UPDATE organizations SET last_event = last_event + ? WHERE id = ?').run(howMany, orgId)
  database.exec(
    'UPDATE endpoints SET next_delivery_at = 1700000000000; COMMIT; PRAGMA wal_checkpoint(TRUNCATE)',
  )
  database.close()
}
