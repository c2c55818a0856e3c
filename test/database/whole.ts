import { type Place, seenElsewhere } from './storage.ts'

/** Tickets without their first message, events or customer, and rows of tickets that are not there. */
const PIECES = `
  select id as piece from tickets t where not exists (select 1 from messages m where m.ticket_id = t.id)
  union all select id from tickets t where
    (select count(*) from events e where e.ticket_id = t.id and e.type = 'ticket.created') <> 1
  union all select id from tickets t where not exists (select 1 from customers c where c.id = t.customer_id)
  union all select id from messages m where not exists (select 1 from tickets t where t.id = m.ticket_id)
  union all select ticket_id from ticket_tags g where not exists
    (select 1 from tickets t where t.id = g.ticket_id and t.updated_at = g.updated_at)
  union all select e.ticket_id from events e where not exists (select 1 from tickets t where t.id = e.ticket_id)
  union all select m.id from messages m where (select count(*) from messages n where n.ticket_id = m.ticket_id) <>
    (select count(*) from events e where e.ticket_id = m.ticket_id and e.type = 'message.sent')
  union all select o.id from organizations o where o.last_event <>
    (select count(*) from events e where e.org_id = o.id) or o.last_event <>
    (select coalesce(max(e.number), 0) from events e where e.org_id = o.id)`

const recount = (prefix: string, condition: string) => `
  select '${prefix}all' as filter, count(*) as count from tickets where ${condition} having count(*) > 0
  union all select '${prefix}status:' || status, count(*) from tickets where ${condition} group by status
  union all select '${prefix}channel:' || channel, count(*) from tickets where ${condition} group by channel
  union all select '${prefix}assignedTo:' || assigned_to, count(*) from tickets where ${condition}
    group by assigned_to
  union all select '${prefix}status:' || status || ',assignedTo:' || assigned_to, count(*) from tickets
    where ${condition} group by status, assigned_to
  union all select '${prefix}tag:' || tag, count(*) from ticket_tags g join tickets t on t.id = g.ticket_id
    where ${condition} group by tag
  union all select '${prefix}status:' || status || ',tag:' || tag, count(*) from ticket_tags g
    join tickets t on t.id = g.ticket_id where ${condition} group by status, tag`
const RECOUNT = `${recount('', 'true')} union all ${recount('spam,', 'is_spam')}`

/** Rows without the others of their unit, and events whose numbers have gaps. */
export async function brokenPieces(place: Place): Promise<unknown[]> {
  const rows = await seenElsewhere(place, PIECES)
  return rows.map((row) => row.piece)
}

/** The counters that are kept, and the same counted from the tickets. One organization. */
export async function countersAndRecount(place: Place) {
  const kept = await seenElsewhere(place, 'select filter, count from ticket_counters where count <> 0')
  return { kept: byFilter(kept), counted: byFilter(await seenElsewhere(place, RECOUNT)) }
}

/** Each ticket's list of tags and its rows of tags, where they differ. */
export async function tagsOutOfStep(place: Place): Promise<unknown[]> {
  const tickets = await seenElsewhere(place, 'select id, tags from tickets')
  const rows = await seenElsewhere(place, 'select ticket_id, tag from ticket_tags')
  const tagsOf = Map.groupBy(rows, (row) => row.ticket_id)
  return tickets.filter(({ id, tags }) => {
    const inRows = (tagsOf.get(id) ?? []).map((row) => String(row.tag)).sort()
    return !Bun.deepEquals(JSON.parse(String(tags)).sort(), inRows)
  })
}

function byFilter(rows: Record<string, unknown>[]): Record<string, number> {
  const pairs = rows.map((row): [string, number] => [String(row.filter), Number(row.count)])
  return Object.fromEntries(pairs.sort(([a], [b]) => a.localeCompare(b)))
}
