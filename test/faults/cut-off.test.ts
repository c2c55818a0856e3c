import { describe, expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { addOrganization, openStorage, organizationIds } from '../database/storage.ts'

const LATE_MS = 30

// On PostgreSQL such a unit only holds its own rows; the server ends it (idle_in_transaction_session_timeout).
describe.if(engine === 'sqlite')('a unit that awaits something other than its own queries', () => {
  const distractions = {
    'a timer': () => Bun.sleep(LATE_MS),
    'an answer from the network': async () => {
      using server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: lateAnswer })
      await fetch(server.url)
    },
    'something that never comes': () => new Promise<never>(() => {}),
  }
  for (const [what, wait] of Object.entries(distractions)) {
    test(`(${what}) is rolled back, and its neighbours are kept`, async () => {
      await using storage = await openStorage()
      const add = (id: string) => storage.database.write(undefined, (tx) => addOrganization(tx, id))
      const before = add('org_before')
      const waiting = storage.database.write(undefined, async (tx) => {
        await addOrganization(tx, 'org_waiting')
        await wait()
      })
      const after = add('org_after')
      expect(await waiting.catch((reason) => reason)).toMatchObject({ name: 'UnitFault' })
      await Promise.all([before, after])
      await add('org_later')
      expect(await organizationIds(storage.database)).toEqual(['org_after', 'org_before', 'org_later'])
    })
  }

  test('writes nothing when it wakes up, whether or not another unit is running', async () => {
    await using storage = await openStorage()
    const wakeUp = Promise.withResolvers<void>()
    const attempts: Promise<void>[] = []
    const waiting = storage.database.write(undefined, async (tx) => {
      await wakeUp.promise
      for (const number of [0, 1, 2]) attempts.push(addOrganization(tx, `org_zombie_${number}`))
      await Promise.all(attempts)
    })
    expect(await waiting.catch((reason) => reason)).toMatchObject({ name: 'UnitFault' })
    await storage.database.write(undefined, async (tx) => {
      wakeUp.resolve()
      for (let number = 0; number < 20; number += 1) await addOrganization(tx, `org_awake_${number}`)
    })
    const outcomes = await Promise.allSettled(attempts)
    expect(outcomes.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected'])
    const ids = await organizationIds(storage.database)
    expect(ids).toHaveLength(20)
    expect(ids.join()).not.toContain('zombie')
  })
})

/** A response within the same tick of the event loop delays nothing and is allowed. */
async function lateAnswer(): Promise<Response> {
  await Bun.sleep(LATE_MS)
  return new Response('late')
}
