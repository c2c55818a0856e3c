import { countsOf, recount } from '../support/counters.ts'
import { type Place, seenElsewhere } from './storage.ts'

/** Tickets without their first message, events or customer, and rows of tickets that are not there. */
const PIECES = `
  select id as piece from tickets t where not exists (select 1 from messages m where m.ticket_id = t.id)
  union all select id from tickets t where
    (select count(*) from events e where e.ticket_id = t.id and e.type = 'ticket.created') <> 1
  union all select id from tickets t where not exists (select 1 from customers c where c.id = t.customer_id)
  union all select id from messages m where not exists (select 1 from tickets t where t.id = m.ticket_id)
  union all select ticket_id from ticket_tags g where not exists
    (select 1 from tickets t where t.id = g.ticket_id and t.created_at = g.created_at and t.updated_at = g.updated_at
      and t.status = g.status and t.channel = g.channel and t.assigned_to = g.assigned_to and t.place = g.place)
  union all select e.ticket_id from events e where e.ticket_id <> '' and not exists
    (select 1 from tickets t where t.id = e.ticket_id)
  union all select m.id from messages m where (select count(*) from messages n where n.ticket_id = m.ticket_id) <>
    (select count(*) from events e where e.ticket_id = m.ticket_id and e.type = 'message.sent')
  union all select o.id from organizations o where o.last_event <>
    (select count(*) from events e where e.org_id = o.id) or o.last_event <>
    (select coalesce(max(e.number), 0) from events e where e.org_id = o.id)`

/** Rows without the others of their unit, and events whose numbers have gaps. */
export async function brokenPieces(place: Place): Promise<unknown[]> {
  const rows = await seenElsewhere(place, PIECES)
  return rows.map((row) => row.piece)
}

/** The counters that are kept, and the same counted from the tickets. One organization. */
export async function countersAndRecount(place: Place) {
  const kept = await seenElsewhere(place, 'select * from ticket_counters where count <> 0')
  const counted = await seenElsewhere(place, 'select * from tickets')
  return {
    kept: countsOf(kept.map((row) => ({ ...fieldsOf(row), tag: String(row.tag), count: Number(row.count) }))),
    counted: recount(counted.map((row) => ({ ...fieldsOf(row), tags: JSON.parse(String(row.tags)) }))),
  }
}

function fieldsOf(row: Record<string, unknown>) {
  return {
    status: String(row.status),
    channel: String(row.channel),
    assignedTo: String(row.assigned_to),
    place: Number(row.place),
  }
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
