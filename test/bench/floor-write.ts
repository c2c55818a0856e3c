import { Database } from 'bun:sqlite'

// The floor for creating a ticket: a bare server that writes the same rows with hand-written SQL, a group at a time.
const database = new Database(process.argv[2] ?? '')
database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on')
const org = process.argv[3] ?? ''
const endpoint = process.argv[4] ?? ''

const upsertCustomer = database.query<{ id: string; name: string }, (string | number)[]>(
  `insert into customers (id, org_id, name, email, email_key, version, created_at, updated_at) values (?, ?, ?, ?, ?, 1, ?, ?)
    on conflict (org_id, email_key) do update set name = excluded.name returning id, name`,
)
const insertTicket = database.query(
  `insert into tickets (id, org_id, customer_id, status, channel, subject, assigned_to, tags, version, created_at, updated_at)
    values (?, ?, ?, 'open', 'api', ?, '', '[]', 1, ?, ?)`,
)
const insertMessage = database.query(
  `insert into messages (id, org_id, ticket_id, role, text, created_at) values (?, ?, ?, 'customer', ?, ?)`,
)
const takeNumbers = database.query<{ last_event: number }, [string]>(
  'update organizations set last_event = last_event + 2 where id = ? returning last_event',
)
const insertEvent = database.query(
  'insert into events (org_id, number, type, ticket_id, body, created_at) values (?, ?, ?, ?, ?, ?)',
)
const insertDelivery = database.query(
  `insert into deliveries (id, org_id, endpoint_id, event_number, event_type, ticket_id, state, due_at, created_at)
    values (?, ?, ?, ?, ?, ?, 'held', ?, ?)`,
)
const addToCounter = database.query(
  `insert into ticket_counters (org_id, assigned_to, status, tag, channel, place, count)
    values (?, ?, 'open', '', 'api', 0, 1)
    on conflict (org_id, assigned_to, status, tag, channel, place) do update set count = count + 1`,
)
const COUNTERS = ['', 'any']

interface Wanted {
  subject: string
  customer: { name: string; email: string }
  message: string
}
const queue: { wanted: Wanted; resolve: (answer: Response) => void }[] = []
const id = (prefix: string) => `${prefix}_${Bun.randomUUIDv7()}`

function create({ subject, customer: { name, email }, message }: Wanted): Response {
  const now = Date.now()
  const createdAt = new Date(now).toISOString()
  const customer = upsertCustomer.get(id('usr'), org, name, email, email.toLowerCase(), now, now)
  const customerId = customer?.id ?? ''
  const ticketId = id('tkt')
  const messageId = id('msg')
  insertTicket.run(ticketId, org, customerId, subject, now, now)
  insertMessage.run(messageId, org, ticketId, message, now)
  const last = takeNumbers.get(org)?.last_event ?? 0
  const ticket = {
    id: ticketId,
    orgId: org,
    status: 'open',
    channel: 'api',
    subject,
    createdAt,
    customer: { name, email },
  }
  const first = { id: messageId, role: 'customer', text: message, createdAt }
  const bodies = [
    { type: 'ticket.created', data: { ticket } },
    { type: 'message.sent', data: { ticket: { ...ticket, updatedAt: createdAt, tags: [] }, message: first } },
  ]
  for (const [place, { type, data }] of bodies.entries()) {
    const body = Buffer.from(JSON.stringify({ event: type, createdAt, data }))
    insertEvent.run(org, last - 1 + place, type, ticketId, body, now)
    insertDelivery.run(id('dlv'), org, endpoint, last - 1 + place, type, ticketId, now, now)
  }
  for (const assignee of COUNTERS) addToCounter.run(org, assignee)
  return Response.json({ ...ticket, updatedAt: createdAt, tags: [], messages: [first] }, { status: 201 })
}

/** All that is queued goes into one transaction; nobody is answered before it is on disk. */
function flush(): void {
  const batch = queue.splice(0)
  database.exec('begin immediate')
  const answers = batch.map(({ wanted }) => create(wanted))
  database.exec('commit')
  for (const [place, answer] of answers.entries()) batch[place]?.resolve(answer)
}

const server = Bun.serve({
  port: 0,
  async fetch(request) {
    const wanted: Wanted = await request.json()
    return new Promise<Response>((resolve) => {
      queue.push({ wanted, resolve })
      if (queue.length === 1) setImmediate(flush)
    })
  },
})
process.stdout.write(`${server.port}\n`)
