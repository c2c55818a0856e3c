import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { createApiKey, findValidKey, revokeApiKey } from '../../server/api-keys/api-keys.ts'
import { engine } from '../../server/database/columns.ts'
import { ORG, openProgram, openWorkspace } from '../database/storage.ts'
import { startBellhop } from '../support/bellhop.ts'
import { problemOf, ticketInput } from '../support/tickets.ts'

describe.if(engine === 'postgresql')('while the database server is away', () => {
  test('reads and changes are refused as what they are, and work again once it is back', async () => {
    const bellhop = await startBellhop()
    const client = await bellhop.organization()
    await client.call('GET', '/tickets')
    const comeBack = await shutOut(bellhop.deps.config.databaseUrl ?? '')
    for (const isKeyKnown of [true, false]) {
      if (!isKeyKnown) bellhop.deps.externalCommits.beat()
      const read = await client.call('GET', '/tickets')
      expect(problemOf(read, 503, 'storage_unavailable').detail).toBe(
        "The data can't be read right now. Try again.",
      )
    }
    const change = { method: 'POST', path: '/tickets', body: ticketInput() }
    problemOf(await client.call(change.method, change.path, change), 503, 'storage_unavailable')
    await comeBack()
    expect((await client.call('GET', '/tickets')).status).toBe(200)
    expect((await client.call(change.method, change.path, change)).status).toBe(201)
    await bellhop.stop()
  })
})

test.if(engine === 'sqlite')(
  'what another program changes right after the start is seen at the first look',
  async () => {
    await using workspace = await openWorkspace()
    const { key, secret } = await createApiKey(workspace.deps, ORG, { name: 'Website', kind: 'secret' })
    await using server = await openProgram(workspace.place)
    await using command = await openProgram(workspace.place)
    await findValidKey(server.deps, secret)
    await revokeApiKey(command.deps, ORG, key.id)
    const { database } = server.deps
    expect(await database.hasExternalCommits?.()).toBe(true)
    // The server's own commits aren't those of others, so they don't empty its caches.
    await createApiKey(server.deps, ORG, { name: 'App', kind: 'secret' })
    expect(await database.hasExternalCommits?.()).toBe(false)
  },
)

/** Ends every connection and refuses new ones. Returns a function that allows them again. */
async function shutOut(address: string): Promise<() => Promise<void>> {
  const place = new URL(address)
  const name = place.pathname.slice(1)
  place.pathname = '/postgres'
  const client = new SQL(place.href, { max: 1 })
  await client.unsafe(`alter database ${name} allow_connections false`)
  await client`select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = ${name}`
  return async () => {
    await client.unsafe(`alter database ${name} allow_connections true`)
    await client.close()
  }
}
