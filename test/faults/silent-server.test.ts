import { describe, expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { call, startBellhop } from '../support/bellhop.ts'
import { startDatabaseRelay } from '../support/database-relay.ts'
import { freshPlace } from '../support/engine.ts'
import { listTickets, makeTicket, problemOf, ticketInput } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

/** Nothing listens on the discard port (RFC 863). */
const NOWHERE = 'postgres://127.0.0.1:9'
/** Two seconds and a half, and what a busy machine needs. */
const MAX_REFUSAL_MS = 5_000

describe.if(engine === 'postgresql')('while the database server', () => {
  test.each([
    ['takes everything and answers nothing', 'silent'],
    ['is behind a proxy that ends every connection', 'ended'],
  ])('%s, supervisors and then callers are told, and everything works again afterward', async (_, fault) => {
    const place = await freshPlace()
    let isSilent = false
    // What was connected meanwhile stays dead, as behind a lost route.
    using relay = startDatabaseRelay(place.DATABASE_URL ?? '', {
      open(connection) {
        connection.isDead = isSilent
      },
    })
    const bellhop = await startBellhop({ settings: { DATABASE_URL: relay.url } })
    const acme = await bellhop.organization()
    await makeTicket(acme)
    isSilent = fault === 'silent'
    if (isSilent) for (const connection of relay.open) connection.isDead = true
    else relay.leadTo(NOWHERE)
    const awayAt = performance.now()
    const order: string[] = []
    const read = acme.call('GET', '/tickets').finally(() => order.push('read'))
    const change = acme.call('POST', '/tickets', { body: ticketInput() }).finally(() => order.push('change'))
    const ready = await call('GET', `${bellhop.url}/health/ready`)
    expect([ready.status, ready.json]).toEqual([503, { status: "The database isn't available." }])
    expect(order).toEqual([])
    for (const answer of [await read, await change]) {
      problemOf(answer, 503, 'storage_unavailable')
      expect(answer.headers.get('retry-after')).toBe('5')
    }
    expect(performance.now() - awayAt).toBeLessThan(MAX_REFUSAL_MS)
    const still = await call('GET', `${bellhop.url}/health/ready`)
    expect([still.status, still.json]).toEqual([503, { status: "The database isn't available." }])
    expect(bellhop.logLines.filter((line) => line.includes('"not_ready"'))).toHaveLength(1)
    isSilent = false
    if (fault === 'ended') relay.leadTo(place.DATABASE_URL ?? '')
    await eventually(async () => (await call('GET', `${bellhop.url}/health/ready`)).status === 200)
    const before = (await listTickets(acme)).meta.total
    await makeTicket(acme)
    expect((await listTickets(acme)).meta.total).toBe(before + 1)
    await bellhop.stop()
  })

  test('is silent on the connection of a lease only, the server takes another one within seconds', async () => {
    const place = await freshPlace()
    let isCut = false
    using relay = startDatabaseRelay(place.DATABASE_URL ?? '', {
      sent(connection, text) {
        // What all servers have in common is sent with each lease.
        if (isCut && text.includes('"BELLHOP_FILES"')) {
          connection.isDead = true
          isCut = false
        }
        return 'pass'
      },
    })
    const bellhop = await startBellhop({ settings: { DATABASE_URL: relay.url } })
    isCut = true
    await eventually(() => bellhop.logLines.some((line) => line.includes('"node_not_renewed"')))
    expect(isCut).toBe(false)
    await eventually(async () => (await call('GET', `${bellhop.url}/health/ready`)).status === 200)
    await bellhop.stop()
  })
})
