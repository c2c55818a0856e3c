import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createEndpoint } from '../../server/webhooks/endpoints/endpoints.ts'
import { contentsOf, idsIn } from '../backup/contents.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { startSeparateBellhop } from '../support/separate-bellhop.ts'
import { makeTicket } from '../support/tickets.ts'
import { upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'

/** The suite takes few. `BACKUP_ROUNDS=20` takes more. */
const ROUNDS = Number(process.env.BACKUP_ROUNDS ?? 2)
const WRITERS = 64
/** One key may send a limited number of files at once. */
const KEYS = 4
const MAX_TEST_MS = 120_000 * ROUNDS

test(
  'a backup taken while 64 clients write has everything that was acknowledged before, and a kill loses nothing',
  async () => {
    await using bellhop = await startSeparateBellhop({ BELLHOP_WEBHOOK_ALLOW: '127.0.0.0/8' })
    const client = await bellhop.organization()
    // Nothing listens there: each delivery stays.
    const endpoint = { url: 'https://127.0.0.1:9/', events: ['ticket.created' as const] }
    await createEndpoint(bellhop.deps, client.orgId, endpoint)
    const clients = [
      client,
      ...(await Promise.all(
        Array.from({ length: KEYS - 1 }, () => client.withKey({ rateLimit: 1_000_000 })),
      )),
    ]
    const acknowledged = new Set<string>()
    let isStopped = false

    async function write(writer: number): Promise<void> {
      const client = clients[writer % KEYS] ?? clients[0]
      if (!client) return
      for (let number = 0; !isStopped; number += 1) {
        const content = `${writer} ${number} `.repeat(1 + ((number * 97) % 500))
        const { id } = await upload(client, 'file.txt', content)
        acknowledged.add(id)
        const ticket = await makeTicket(client, { attachments: [id] })
        for (const one of [ticket.id, `created ${ticket.id}`, `told ${ticket.id}`]) acknowledged.add(one)
        const reply = await client.call<{ id: string }>('POST', `/tickets/${ticket.id}/messages`, {
          body: { text: 'Thank you.' },
        })
        expect(reply.status).toBe(201)
        acknowledged.add(reply.json.id)
      }
    }

    const writing = Array.from({ length: WRITERS }, (_, writer) =>
      // The last request of each is cut off by the kill.
      write(writer).catch((error) => {
        if (!isStopped) throw error
      }),
    )
    const { dataFolder } = bellhop.deps.config
    for (let round = 0; round < ROUNDS; round += 1) {
      await eventually(() => acknowledged.size > WRITERS)
      const before = new Set(acknowledged)
      const file = join(temporaryFolder('backup'), 'loaded.tar.zst')
      const backup = await runProgram({ BELLHOP_DATA: dataFolder }, ['backup', file])
      expect(backup).toMatchObject({ code: 0, err: '' })
      // Otherwise nobody wrote meanwhile.
      expect(acknowledged.size).toBeGreaterThan(before.size)
      const target = join(temporaryFolder('restored'), 'data')
      expect(await runProgram({ BELLHOP_DATA: target }, ['restore', file])).toMatchObject({
        code: 0,
        err: '',
      })
      expect(contentsOf(target).tickets).toBeGreaterThan(0)
      expect(before.difference(idsIn(target)).size).toBe(0)
    }

    isStopped = true
    const atKill = new Set(acknowledged)
    await bellhop.end('SIGKILL')
    await Promise.all(writing)
    await using again = await startProgram({ BELLHOP_DATA: dataFolder, BELLHOP_LOG: 'error' })
    expect((await fetch(`${again.url}/health/ready`)).status).toBe(200)
    expect(atKill.difference(idsIn(dataFolder)).size).toBe(0)
  },
  MAX_TEST_MS,
)
