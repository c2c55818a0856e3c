import { Database as Connection } from 'bun:sqlite'
import { join } from 'node:path'
import { SQL } from 'bun'
import type { Config } from '../../server/config.ts'
import { DATABASE_FILE } from '../../server/database/open.ts'

/**
 * Writes so many pending deliveries of the organization's first event, spread over its endpoints, past the program,
 * as if they had come while it did not run.
 */
export async function writeBacklog(config: Config, orgId: string, count: number, now: number): Promise<void> {
  const [padded, no] = config.databaseUrl
    ? [`lpad(number::text, 26, '0')`, 'false']
    : [`printf('%026d', number)`, '0']
  const places = `create temporary table places (place integer primary key, id text);
    insert into places select row_number() over (order by id) - 1, id from endpoints where org_id = '${orgId}'`
  const backlog = `with recursive numbers(number) as
      (select 1 union all select number + 1 from numbers where number < ${count})
    insert into deliveries (id, org_id, endpoint_id, event_number, event_type, state, due_at, retries,
      interruptions, attempt, manual, created_at)
    select 'dlv_' || ${padded}, '${orgId}', places.id, 1, 'ticket.created', 'pending', ${now}, 0, 0, 0, ${no}, ${now}
    from numbers join places on places.place = number % (select count(*) from places)`
  if (config.databaseUrl) {
    const client = new SQL(config.databaseUrl, { max: 1 })
    await client.unsafe(`${places}; ${backlog}; analyze deliveries`).simple()
    return client.close()
  }
  const connection = new Connection(join(config.dataFolder, DATABASE_FILE))
  connection.exec(`PRAGMA synchronous = OFF; ${places}; ${backlog}`)
  connection.close()
}
