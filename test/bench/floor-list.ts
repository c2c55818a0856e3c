import { Database } from 'bun:sqlite'

// The floor for a list: a bare server that reads the newest 25 tickets of one status, channel and spam, which are one range of an
// index, and one counter, with hand-written SQL that is planned once.
const database = new Database(process.argv[2] ?? '', { readonly: true })
const org = process.argv[3] ?? ''
const page = database.query<Record<string, string | number>, [string]>(
  `select t.id, t.org_id, t.status, t.channel, t.subject, t.created_at, t.updated_at, t.assigned_to, t.tags, t.place,
    c.name, c.email from tickets t indexed by tickets_by_created join customers c on c.id = t.customer_id
    where t.org_id = (cast(? as text) || '') and t.status = 'open' and t.channel = 'email' and t.place = 0
    order by t.created_at desc, t.id desc limit 25`,
)
const counter = database.query<{ count: number }, [string]>(
  `select count from ticket_counters where org_id = ? and assigned_to = 'any' and status = 'open' and tag = ''
    and channel = 'email' and place = 0`,
)
const iso = (time: unknown) => new Date(Number(time)).toISOString()

const server = Bun.serve({
  port: 0,
  fetch: () =>
    Response.json({
      data: page.all(org).map((ticket) => ({
        id: ticket.id,
        orgId: ticket.org_id,
        status: ticket.status,
        channel: ticket.channel,
        subject: ticket.subject,
        createdAt: iso(ticket.created_at),
        updatedAt: iso(ticket.updated_at),
        customer: { name: ticket.name, email: ticket.email },
        assignedTo: ticket.assigned_to || undefined,
        tags: JSON.parse(String(ticket.tags)),
        spam: ticket.place === 1,
      })),
      meta: { total: counter.get(org)?.count, page: 1, perPage: 25 },
    }),
})
process.stdout.write(`${server.port}\n`)
