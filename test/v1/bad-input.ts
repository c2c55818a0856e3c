import { afterAll, afterEach, beforeEach, expect } from 'bun:test'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { storedRows } from '../support/stored-rows.ts'
import { makeTicket } from '../support/tickets.ts'

export interface Untouched {
  bellhop: Bellhop
  client: Client
  /** A ticket of the client's organization. */
  ticketId: string
}

/** Bellhop with one ticket. After every test of the file, each row of each table must be unchanged. */
export async function startUntouched(): Promise<Untouched> {
  const settings = { BELLHOP_RATE_LIMIT: '1000000' }
  const bellhop = await startBellhop({ clock: createManualClock(), settings })
  const client = await bellhop.organization()
  const ticket = await makeTicket(client, { tags: ['vip'] })
  let before: Record<string, string[]>
  beforeEach(async () => {
    before = await storedRows(bellhop.deps)
  })
  afterEach(async () => {
    expect(await storedRows(bellhop.deps)).toEqual(before)
  })
  afterAll(() => bellhop.stop())
  return { bellhop, client, ticketId: ticket.id }
}
