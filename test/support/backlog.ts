import { Database as Connection } from 'bun:sqlite'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { Config } from '../../server/config.ts'
import { DATABASE_FILE } from '../../server/database/open.ts'

/**
 * Inserts this many pending deliveries of the organization's newest ticket, spread over its endpoints, as if they had
 * been queued while the server was not running. Goes straight to the database.
 */
export async function writeBacklog(config: Config, orgId: string, count: number, now: number): Promise<void> {
  const [padded, no] = config.databaseUrl
    ? [`lpad(numbers.number::text, 26, '0')`, 'false']
    : [`printf('%026d', numbers.number)`, '0']
  const places = `create temporary table places (place integer primary key, id text);
    insert into places select row_number() over (order by id) - 1, id from endpoints where org_id = '${orgId}'`
  const backlog = `with recursive numbers(number) as
      (select 1 union all select number + 1 from numbers where number < ${count})
    insert into deliveries (id, org_id, endpoint_id, event_number, event_type, state, due_at, retries,
      interruptions, attempt, manual, created_at)
    select 'dlv_' || ${padded}, '${orgId}', places.id, created.number, 'ticket.created', 'pending', ${now}, 0, 0, 0, ${no}, ${now}
    from numbers join places on places.place = numbers.number % (select count(*) from places)
      cross join (select coalesce(max(number), 1) as number from events
        where org_id = '${orgId}' and type = 'ticket.created') as created;
    update endpoints set next_delivery_at = ${now} where org_id = '${orgId}'`
  if (config.databaseUrl) {
    const client = new SQL(config.databaseUrl, { max: 1 })
    await client.unsafe(`${places}; ${backlog}; analyze deliveries`).simple()
    return client.close()
  }
  const connection = new Connection(join(config.dataFolder, DATABASE_FILE))
  connection.exec(`PRAGMA synchronous = OFF; ${places}; ${backlog}`)
  connection.close()
}
