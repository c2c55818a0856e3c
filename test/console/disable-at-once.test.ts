import { afterAll, describe, expect, test } from 'bun:test'
import { and, eq, sql } from 'drizzle-orm'
import { engine } from '../../server/database/columns.ts'
import { tickets } from '../../server/database/tables/tickets.ts'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { makeManyTickets } from '../support/many-tickets.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

const MORE_THAN_A_SLICE = 520

// SQLite has one writer, so nothing can happen in between.
describe.if(engine === 'postgresql')('disabling an agent while others work', () => {
  test('a ticket reassigned at the same time keeps its new agent, and the others are unassigned', async () => {
    const acme = await bellhop.organization()
    const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana', role: 'admin' })
    const ben = await signInAgent(bellhop, acme.orgId, { name: 'Ben' })
    const { read } = bellhop.deps.database
    const ofBen = and(eq(tickets.orgId, acme.orgId), eq(tickets.assignedTo, ben.id))
    const made = await makeManyTickets(bellhop.deps, acme.orgId, MORE_THAN_A_SLICE)
    await bellhop.deps.database.write(undefined, async (tx) => {
      await tx.update(tickets).set({ assignedTo: ben.id }).where(eq(tickets.orgId, acme.orgId))
    })
    expect(await read.select({ id: tickets.id }).from(tickets).where(ofBen)).toHaveLength(made.length)

    const [first] = await read.select({ id: tickets.id }).from(tickets).where(ofBen).limit(1)
    const hasTaken = Promise.withResolvers<void>()
    const mayEnd = Promise.withResolvers<void>()
    const taking = bellhop.deps.database.write(undefined, async (tx) => {
      await tx
        .update(tickets)
        .set({ assignedTo: '' })
        .where(eq(tickets.id, first?.id ?? ''))
      hasTaken.resolve()
      await mayEnd.promise
    })
    await hasTaken.promise
    const disabling = ana.call('POST', `/console/agents/${ben.id}/disable`)
    while (!(await isQueryWaiting())) await new Promise((resolve) => setImmediate(resolve))
    mayEnd.resolve()
    await taking
    expect((await disabling).json).toMatchObject({ unassignedTickets: made.length - 1 })
    expect(await read.select({ id: tickets.id }).from(tickets).where(ofBen)).toEqual([])
  })
})

async function isQueryWaiting(): Promise<boolean> {
  const blocked = sql`datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`
  const rows = await bellhop.deps.database.read
    .select({ pid: sql`pid` })
    .from(sql`pg_stat_activity`)
    .where(blocked)
  return rows.length > 0
}
