import { expect, test } from 'bun:test'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { engine } from '../../server/database/columns.ts'
import { type Bellhop, call, startBellhop } from '../support/bellhop.ts'
import { listTickets, makeTicket, problemOf, ticketInput } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const DELETED_DATABASE =
  'The database file was deleted. Stop Bellhop, and restore the data folder from your backup.'
const DELETED_LOCK = 'The lock file of the data folder was deleted. Restart Bellhop.'

test.if(engine === 'sqlite')(
  'no change is confirmed once the database file is deleted, and everything is refused until it is back',
  async () => {
    const bellhop = await startBellhop()
    const acme = await bellhop.organization()
    await makeTicket(acme)
    const file = join(bellhop.deps.config.dataFolder, 'bellhop.db')
    renameSync(file, `${file}.away`)
    problemOf(await acme.call('POST', '/tickets', { body: ticketInput() }), 503, 'storage_unavailable')
    await isRefused(bellhop, DELETED_DATABASE)
    const read = await acme.call('GET', '/tickets')
    expect(problemOf(read, 503, 'storage_unavailable').detail).toBe(DELETED_DATABASE)
    expect((await fetch(`${bellhop.url}/health/live`)).status).toBe(200)
    renameSync(`${file}.away`, file)
    await eventually(async () => (await ready(bellhop)).status === 200)
    expect((await listTickets(acme)).data).toHaveLength(1)
    await makeTicket(acme)
    expect(linesOf(bellhop, 'file_missing')).toEqual([
      expect.objectContaining({ level: 'error', file, detail: DELETED_DATABASE }),
    ])
    expect(linesOf(bellhop, 'file_back')).toHaveLength(1)
    await bellhop.stop()
  },
)

test('everything is refused once the lock file is deleted, because another server could start', async () => {
  const bellhop = await startBellhop()
  const acme = await bellhop.organization()
  const file = join(bellhop.deps.config.dataFolder, 'server.lock')
  renameSync(file, `${file}.away`)
  await isRefused(bellhop, DELETED_LOCK)
  problemOf(await acme.call('GET', '/tickets'), 503, 'storage_unavailable')
  expect(linesOf(bellhop, 'file_missing')).toHaveLength(1)
  await bellhop.stop()
})

async function isRefused(bellhop: Bellhop, status: string): Promise<void> {
  const answer = await eventually(async () => {
    const seen = await ready(bellhop)
    return seen.status === 503 ? seen : undefined
  })
  expect(answer.json).toEqual({ status })
}

function ready({ url }: Bellhop) {
  return call('GET', `${url}/health/ready`)
}

function linesOf({ logLines }: Bellhop, event: string): Record<string, unknown>[] {
  return logLines.map((line) => JSON.parse(line)).filter((line) => line.event === event)
}
