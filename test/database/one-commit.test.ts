import { expect, test } from 'bun:test'
import { eraseTicket } from '../../server/erasure/erase.ts'
import { recordWorkspaceChange } from '../../server/events/events.ts'
import { postAgentMessage } from '../../server/tickets/messages.ts'
import { createEndpoint, deleteEndpoint, updateEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { seeded } from '../support/random.ts'
import { openTicket } from './random-work.ts'
import { ORG, openWorkspace, seenElsewhere } from './storage.ts'
import { countersAndRecount } from './whole.ts'

// Units that are written at once share a commit, and its end writes their events, deliveries and counters.

const HOOKS = {
  url: 'https://example.com/hooks',
  events: ['ticket.created' as const, 'message.sent' as const],
}

test('a unit that fails after it recorded an event leaves none, and those of its neighbors have no gap', async () => {
  await using workspace = await openWorkspace()
  const { deps } = workspace
  const outcomes = await Promise.allSettled(
    [0, 1, 2, 3, 4].map((number) =>
      deps.database.write(ORG, async (tx) => {
        recordWorkspaceChange(deps, tx, ORG)
        if (number === 2) throw new Error('refused')
      }),
    ),
  )
  expect(outcomes.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1)
  const events = await seenElsewhere(workspace.place, 'select number from events order by number')
  expect(events.map(({ number }) => Number(number))).toEqual([1, 2, 3, 4])
  const [organization] = await seenElsewhere(workspace.place, 'select last_event from organizations')
  expect(Number(organization?.last_event)).toBe(4)
})

test('each event of many tickets opened at once is delivered once, to each endpoint', async () => {
  await using workspace = await openWorkspace()
  const { deps } = workspace
  await createEndpoint(deps, ORG, HOOKS)
  await createEndpoint(deps, ORG, { ...HOOKS, events: ['message.sent'] })
  const random = seeded(13)
  await Promise.all(Array.from({ length: 70 }, () => openTicket(deps, random)))
  const unmatched = await seenElsewhere(
    workspace.place,
    `select e.number from events e left join deliveries d on d.event_number = e.number and d.ticket_id = e.ticket_id
      and d.event_type = e.type where e.type in ('ticket.created', 'message.sent') group by e.number, e.type
      having count(d.id) <> case e.type when 'ticket.created' then 1 else 2 end`,
  )
  expect(unmatched).toEqual([])
  expect(await seenElsewhere(workspace.place, 'select id from deliveries')).toHaveLength(210)
  const scheduled = 'select id from endpoints where next_delivery_at is not null'
  expect(await seenElsewhere(workspace.place, scheduled)).toHaveLength(2)
  const { kept, counted } = await countersAndRecount(workspace.place)
  expect(kept).toEqual(counted)
})

test('a ticket that is deleted in the commit of a message to it leaves none of the text', async () => {
  await using workspace = await openWorkspace()
  const { deps } = workspace
  await createEndpoint(deps, ORG, HOOKS)
  const random = seeded(17)
  // Only units that are quick enough share a commit, and the first ones of a process are not.
  for (let round = 0; round < 10; round += 1) {
    const ticketId = await openTicket(deps, random)
    await Promise.all([
      postAgentMessage(deps, ORG, { ticketId, text: 'PRIVATE', agentName: 'Ana' }),
      eraseTicket(deps, ORG, ticketId),
    ])
  }
  expect(await seenElsewhere(workspace.place, 'select number from events where body is not null')).toEqual([])
  const due = await seenElsewhere(workspace.place, "select state from deliveries where state = 'pending'")
  expect(due).toEqual([])
  expect(await seenElsewhere(workspace.place, 'select id from deliveries')).toHaveLength(30)
})

test.each([
  ['created', []],
  ['narrowed to messages', ['ticket.created pending', 'message.sent pending']],
  ['deleted', ['ticket.created cancelled', 'message.sent cancelled']],
] as const)(
  'an endpoint that is %s in the commit of a ticket gets what it was subscribed to before',
  async (change, deliveries) => {
    await using workspace = await openWorkspace()
    const { deps } = workspace
    const random = seeded(19)
    for (let round = 0; round < 8; round += 1) {
      const known = change === 'created' ? undefined : (await createEndpoint(deps, ORG, HOOKS)).endpoint.id
      const changing = () => {
        if (known === undefined) return createEndpoint(deps, ORG, HOOKS).then(({ endpoint }) => endpoint.id)
        if (change === 'deleted') return deleteEndpoint(deps, ORG, known).then(() => known)
        return updateEndpoint(deps, ORG, { id: known, change: { events: ['message.sent'] } }).then(
          () => known,
        )
      }
      const [, id] = await Promise.all([openTicket(deps, random), changing()])
      const rows = await seenElsewhere(
        workspace.place,
        `select event_type, state from deliveries where endpoint_id = '${id}' order by event_number`,
      )
      expect(rows.map(({ event_type, state }) => `${event_type} ${state}`)).toEqual([...deliveries])
      await deleteEndpoint(deps, ORG, id).catch(() => {})
    }
  },
)
