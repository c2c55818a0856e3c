import { Database } from 'bun:sqlite'

// The floor for reading a ticket: a bare server with hand-written SQL and nothing else. Its parameters are written so
// that SQLite does not plan the two queries anew each time, as in the product.
const mark = 'cast(? as text)'
const database = new Database(process.argv[2] ?? '', { readonly: true })
const ticketById = database.query<Record<string, string | number>, [string, string]>(
  `select t.id, t.org_id, t.status, t.channel, t.subject, t.created_at, t.updated_at, t.assigned_to, t.tags,
    c.id as user_id, c.name, c.email from tickets t join customers c on c.id = t.customer_id
    where t.org_id = ${mark} and t.id = ${mark}`,
)
const messagesOf = database.query<Record<string, string | number>, [string, string]>(
  `select id, role, text, agent_name, created_at from messages where org_id = ${mark} and ticket_id = ${mark}
    order by created_at, id`,
)
const org = process.argv[3] ?? ''
const iso = (time: unknown) => new Date(Number(time)).toISOString()

const server = Bun.serve({
  port: 0,
  fetch(request) {
    const id = request.url.slice(request.url.lastIndexOf('/') + 1)
    const ticket = ticketById.get(org, id)
    if (!ticket) return new Response('', { status: 404 })
    const messages = messagesOf.all(org, id)
    return Response.json({
      id: ticket.id,
      orgId: ticket.org_id,
      status: ticket.status,
      channel: ticket.channel,
      subject: ticket.subject,
      createdAt: iso(ticket.created_at),
      updatedAt: iso(ticket.updated_at),
      customer: { name: ticket.name, email: ticket.email, userId: ticket.user_id },
      tags: JSON.parse(String(ticket.tags)),
      messages: messages.map((message) => ({
        id: message.id,
        role: message.role,
        text: message.text,
        agentName: message.agent_name ?? undefined,
        createdAt: iso(message.created_at),
      })),
    })
  },
})
process.stdout.write(`${server.port}\n`)
