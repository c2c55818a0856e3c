import { describe, expect, test } from 'bun:test'
import type { Socket } from 'bun'
import { engine } from '../../server/database/columns.ts'
import { call, startBellhop } from '../support/bellhop.ts'
import { freshPlace } from '../support/engine.ts'
import { listTickets, makeTicket, problemOf, ticketInput } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

describe.if(engine === 'postgresql')('while the database server takes everything and answers nothing', () => {
  test('supervisors and then callers are told, and everything works again once it responds', async () => {
    const place = await freshPlace()
    using relay = startRelay(place.DATABASE_URL ?? '')
    const bellhop = await startBellhop({ settings: { DATABASE_URL: relay.url } })
    const acme = await bellhop.organization()
    await makeTicket(acme)
    relay.swallow(true)
    const order: string[] = []
    const read = acme.call('GET', '/tickets').finally(() => order.push('read'))
    const change = acme.call('POST', '/tickets', { body: ticketInput() }).finally(() => order.push('change'))
    const ready = await call('GET', `${bellhop.url}/health/ready`)
    expect([ready.status, ready.json]).toEqual([503, { status: "The database isn't available." }])
    expect(order).toEqual([])
    problemOf(await read, 503, 'storage_unavailable')
    problemOf(await change, 503, 'storage_unavailable')
    expect((await call('GET', `${bellhop.url}/health/ready`)).status).toBe(503)
    expect(bellhop.logLines.filter((line) => line.includes('"not_ready"'))).toHaveLength(1)
    relay.swallow(false)
    await eventually(async () => (await call('GET', `${bellhop.url}/health/ready`)).status === 200)
    const before = (await listTickets(acme)).meta.total
    await makeTicket(acme)
    expect((await listTickets(acme)).meta.total).toBe(before + 1)
    await bellhop.stop()
  })
})

/** Between the service and the server. What was connected while it swallowed stays dead, as behind a lost route. */
function startRelay(address: string): Disposable & { url: string; swallow(isSwallowing: boolean): void } {
  const { hostname, port } = new URL(address)
  let isSwallowing = false
  const dead = new Set<Socket<Ends>>()
  const live = new Set<Socket<Ends>>()
  const relay = Bun.listen<Ends>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(client) {
        client.data = { waiting: [] }
        live.add(client)
        if (isSwallowing) dead.add(client)
        void Bun.connect({
          hostname,
          port: Number(port),
          socket: {
            open(server) {
              client.data.server = server
              for (const chunk of client.data.waiting) server.write(chunk)
            },
            data: (_, chunk) => void (dead.has(client) || client.write(chunk)),
            close: () => void (dead.has(client) || client.end()),
          },
        })
      },
      data(client, chunk) {
        if (dead.has(client)) return
        if (client.data.server) client.data.server.write(chunk)
        else client.data.waiting.push(chunk)
      },
      close(client) {
        live.delete(client)
        client.data.server?.end()
      },
    },
  })
  const place = new URL(address)
  place.port = String(relay.port)
  return {
    url: place.href,
    swallow(isOn) {
      isSwallowing = isOn
      if (isOn) for (const client of live) dead.add(client)
    },
    [Symbol.dispose]: () => relay.stop(true),
  }
}

interface Ends {
  server?: Socket
  waiting: Buffer[]
}
