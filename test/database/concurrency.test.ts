import { expect, test } from 'bun:test'
import { eventsAfter } from '../../server/events/events.ts'
import { createTicket, readTicketRow } from '../../server/tickets/tickets.ts'
import { updateTicket } from '../../server/tickets/update-ticket.ts'
import { ticketEtag } from '../../server/tickets/views.ts'
import { seeded } from '../support/random.ts'
import { addAgents, openTicket, workOnce } from './random-work.ts'
import { ORG, openProgram, openWorkspace, seenElsewhere } from './storage.ts'
import { brokenPieces, countersAndRecount, tagsOutOfStep } from './whole.ts'

// The four faults that a single writer hides. Two programs share each place; on PostgreSQL each has ten connections.

test('many changes of the same few tickets, customers and tags at once: none hangs, none is lost', async () => {
  await using workspace = await openWorkspace()
  await using other = await openProgram(workspace.place)
  await addAgents(workspace.deps)
  const random = seeded(7)
  const tickets = [await openTicket(workspace.deps, random), await openTicket(workspace.deps, random)]
  const work = Array.from({ length: 400 }, (_, number) =>
    workOnce(number % 2 === 0 ? workspace.deps : other.deps, random, tickets),
  )
  const outcomes = await Promise.allSettled(work)
  expect(outcomes.filter((outcome) => outcome.status === 'rejected')).toEqual([])
  expect([...workspace.logged, ...other.logged]).toEqual([])

  const { kept, counted } = await countersAndRecount(workspace.place)
  expect(kept).toEqual(counted)
  expect(await tagsOutOfStep(workspace.place)).toEqual([])
  expect(await brokenPieces(workspace.place)).toEqual([])
})

test('a reader that follows the log never misses a number while others write', async () => {
  await using workspace = await openWorkspace()
  await using reader = await openProgram(workspace.place)
  const random = seeded(11)
  let isWriting = true
  const writing = Promise.all(Array.from({ length: 150 }, () => openTicket(workspace.deps, random))).finally(
    () => {
      isWriting = false
    },
  )
  const numbers: number[] = []
  for (let polls = 0, isLast = false; !isLast; polls += 1) {
    isLast = !isWriting
    const found = await eventsAfter(reader.deps.database.read, ORG, numbers.at(-1) ?? 0, 7 + (polls % 50))
    numbers.push(...found.map((event) => event.number))
    if (found.length > 0) isLast = false
    await new Promise((resolve) => setImmediate(resolve))
  }
  await writing
  expect(numbers.length).toBeGreaterThanOrEqual(300)
  expect(numbers).toEqual(Array.from(numbers, (_, index) => index + 1))
})

test('changes of one ticket at once come one after the other: each counts, and the counters move once for each', async () => {
  await using workspace = await openWorkspace()
  await using other = await openProgram(workspace.place)
  const id = await openTicket(workspace.deps, seeded(3))
  const changes = Array.from({ length: 60 }, (_, number) =>
    updateTicket(number % 2 === 0 ? workspace.deps : other.deps, ORG, {
      id,
      change: {
        tags: [`only-${number}`, `third-${number % 3}`],
        status: number % 2 === 0 ? 'pending' : 'resolved',
      },
    }),
  )
  await Promise.all(changes)
  expect((await readTicketRow(workspace.deps.database.read, ORG, id)).version).toBe(61)
  expect(
    await seenElsewhere(workspace.place, `select number from events where type = 'ticket.updated'`),
  ).toHaveLength(60)
  const { kept, counted } = await countersAndRecount(workspace.place)
  expect(kept).toEqual(counted)
  expect(await tagsOutOfStep(workspace.place)).toEqual([])
  expect(await brokenPieces(workspace.place)).toEqual([])
})

test('of many changes made on the same reading of a ticket, one is taken and the others are refused', async () => {
  await using workspace = await openWorkspace()
  await using other = await openProgram(workspace.place)
  const id = await openTicket(workspace.deps, seeded(5))
  const ifMatch = ticketEtag(await readTicketRow(workspace.deps.database.read, ORG, id))
  const changes = Array.from({ length: 20 }, (_, number) =>
    updateTicket(number % 2 === 0 ? workspace.deps : other.deps, ORG, {
      id,
      ifMatch,
      change: { tags: [`by-${number}`] },
    }),
  )
  const refusals = (await Promise.allSettled(changes)).filter((outcome) => outcome.status === 'rejected')
  expect(refusals.map((refusal) => refusal.reason.code)).toEqual(Array(19).fill('precondition_failed'))
})

test('tickets of one new address at once belong to one customer', async () => {
  await using workspace = await openWorkspace()
  await using other = await openProgram(workspace.place)
  const creations = Array.from({ length: 20 }, (_, number) =>
    createTicket(number % 2 === 0 ? workspace.deps : other.deps, ORG, {
      subject: 'Hello',
      customer: { email: number % 3 === 0 ? 'ANA@example.com' : 'ana@Example.com' },
      message: 'Hello',
    }),
  )
  const owners = (await Promise.all(creations)).map((ticket) => ticket.customerId)
  expect(new Set(owners).size).toBe(1)
  expect(await seenElsewhere(workspace.place, 'select id from customers')).toHaveLength(1)
})
