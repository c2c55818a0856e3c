import type { Command } from 'commander'
import { oneOf } from '../option-values.ts'
import { note, print } from '../output.ts'
import { addUrl, type Connection, connect, requireSuccess } from './connect.ts'

/** Requests that make something happen, in order. `:ticket` is the id of what a step named `ticket` created; `:new` is random. */
interface Step {
  asks: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
  body?: object
  /** What the answer has the id of, and is printed. */
  names?: 'ticket' | 'customer' | 'other'
  /** The same for a part of the ticket. */
  finds?: 'message' | 'suggestion'
}

const TICKET: Step = {
  asks: 'POST /tickets',
  names: 'ticket',
  body: {
    subject: 'A test by bellhop trigger',
    message: 'Bellhop created this ticket to trigger an event.',
    customer: { name: 'Test Customer', email: 'trigger@example.com' },
    tags: ['test'],
  },
}

const CUSTOMER: Step = {
  asks: 'PUT /customers/external/:new',
  names: 'customer',
  body: { name: 'Test Customer' },
}
const OLD = '2020-01-01T00:00:00Z'

const SUGGESTED: Step[] = [
  TICKET,
  { asks: 'GET /tickets/:ticket/messages', finds: 'message' },
  {
    asks: 'POST /tickets/:ticket/suggestions',
    body: { text: 'A test answer.', answers: ':message' },
    finds: 'suggestion',
  },
]

/** Without `message.updated`: what a channel says of a message can't be asked for. */
const EVENTS: Record<string, Step[]> = {
  'ticket.created': [TICKET],
  'message.sent': [TICKET, { asks: 'POST /tickets/:ticket/messages', body: { text: 'A test message.' } }],
  'ticket.updated': [TICKET, { asks: 'PATCH /tickets/:ticket', body: { status: 'pending' } }],
  'ticket.deleted': [TICKET, { asks: 'DELETE /tickets/:ticket' }],
  'ticket.imported': [
    {
      asks: 'POST /imports',
      names: 'ticket',
      body: {
        tickets: [
          {
            externalId: ':new',
            subject: 'A test by bellhop trigger',
            customer: { name: 'Test Customer', email: 'trigger@example.com' },
            status: 'resolved',
            channel: 'api',
            tags: ['test'],
            createdAt: OLD,
            messages: [{ externalId: ':new', role: 'customer', text: 'A test message.', createdAt: OLD }],
          },
        ],
      },
    },
  ],
  'note.added': [TICKET, { asks: 'POST /tickets/:ticket/notes', body: { text: 'A test note.' } }],
  'suggestion.added': SUGGESTED,
  'suggestion.closed': [...SUGGESTED, { asks: 'DELETE /tickets/:ticket/suggestions/:suggestion' }],
  'customer.updated': [CUSTOMER],
  'customer.deleted': [CUSTOMER, { asks: 'DELETE /customers/:customer' }],
  'customer.merged': [
    CUSTOMER,
    { ...CUSTOMER, asks: 'PUT /customers/external/:new-2', names: 'other' },
    { asks: 'POST /customers/:customer/merge', body: { from: ':other' } },
  ],
}

/** `bellhop trigger`: the event is real, so that endpoints, `listen`, and the event log get it like any other. */
export function addTrigger(program: Command): void {
  const names = Object.keys(EVENTS)
  const command = program
    .command('trigger')
    .description(
      'make an event happen with BELLHOP_KEY, on a test ticket or customer that it creates; prints their ids',
    )
    .argument('<event>', `one of ${names.join(', ')}`, oneOf(names))
    .action(async (event: string, options: { url?: string }) => {
      const ids = await runSteps(connect(options), EVENTS[event] ?? [])
      for (const id of ids) print(id)
    })
  addUrl(command)
}

async function runSteps({ base, ask }: Connection, steps: Step[]): Promise<Iterable<string>> {
  const created = new Map<string, string>()
  const known = new Map([['new', `trigger-${crypto.randomUUID()}`]])
  const filled = (text: string) =>
    text.replaceAll(/:([a-z]+)\b/g, (all, name: string) => created.get(name) ?? known.get(name) ?? all)
  for (const { asks, body, names, finds } of steps) {
    const [method = '', path = ''] = asks.split(' ')
    const place = filled(path)
    const response = await ask(method, place, {
      headers: { 'content-type': 'application/json' },
      ...(body && { body: filled(JSON.stringify(body)) }),
    })
    await requireSuccess(response, base)
    note(`${method} /v1${place} ${response.status}`)
    if (names) created.set(names, idIn(await response.json()))
    if (finds) known.set(finds, idIn(await response.json()))
  }
  return created.values()
}

/** The answer can be a list, as that of an import is. */
function idIn({ id, data }: { id?: string; data?: { id?: string }[] }): string {
  return id ?? data?.[0]?.id ?? ''
}
