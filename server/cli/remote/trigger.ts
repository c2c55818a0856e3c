import type { Command } from 'commander'
import { oneOf } from '../option-values.ts'
import { note, print } from '../output.ts'
import { addUrl, type Connection, connect, requireSuccess } from './connect.ts'

/** Requests that make something happen, in order. `:ticket` is the id of what a step named `ticket` created. */
interface Step {
  asks: `${'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`
  body?: object
  names?: 'ticket'
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

const EVENTS: Record<string, Step[]> = {
  'ticket.created': [TICKET],
  'message.sent': [TICKET, { asks: 'POST /tickets/:ticket/messages', body: { text: 'A test message.' } }],
}

/** `bellhop trigger`: the event is real, so that endpoints, `listen`, and the event log get it like any other. */
export function addTrigger(program: Command): void {
  const names = Object.keys(EVENTS)
  const command = program
    .command('trigger')
    .description(
      'make an event happen with BELLHOP_KEY, on a test ticket that it creates; prints the id of the ticket',
    )
    .argument('<event>', `one of ${names.join(', ')}`, oneOf(names))
    .action(async (event: string, options: { url?: string }) => {
      const ids = await runSteps(connect(options), EVENTS[event] ?? [])
      for (const id of ids) print(id)
    })
  addUrl(command)
}

async function runSteps({ base, ask }: Connection, steps: Step[]): Promise<Iterable<string>> {
  const ids = new Map<string, string>()
  for (const { asks, body, names } of steps) {
    const [method = '', path = ''] = asks.split(' ')
    const place = path.replaceAll(/:(\w+)/g, (_, name: string) => ids.get(name) ?? '')
    const response = await ask(method, place, {
      headers: { 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
    await requireSuccess(response, base)
    note(`${method} /v1${place} ${response.status}`)
    if (names) ids.set(names, (await response.json()).id)
  }
  return ids.values()
}
