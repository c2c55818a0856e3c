import { Database as Connection } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import { engine } from '../../server/database/columns.ts'
import { StorageError, type Transaction } from '../../server/database/database.ts'
import { organizations } from '../../server/database/tables/organizations.ts'
import { addOrganization, databaseFile, openStorage, organizationIds, seenElsewhere } from './storage.ts'

const IDS = 'select id from organizations order by id'

test('an acknowledged change is immediately visible to other connections', async () => {
  await using storage = await openStorage()
  const seen = Array.from({ length: 20 }, async (_, number) => {
    const id = `org_${number}`
    await storage.database.write(undefined, (tx) => addOrganization(tx, id))
    const rows = await seenElsewhere(storage.place, IDS)
    return rows.some((row) => row.id === id)
  })
  expect(await Promise.all(seen)).toEqual(Array(20).fill(true))
})

test('the pulse beats after the commit, not before', async () => {
  const seen: Promise<Record<string, unknown>[]>[] = []
  await using storage = await openStorage(() => seen.push(seenElsewhere(storage.place, IDS)))
  await storage.database.write(undefined, (tx) => addOrganization(tx, 'org_a'))
  expect(await Promise.all(seen)).toEqual([[{ id: 'org_a' }]])
})

test('a unit resolves with what it returns and rejects with what it throws', async () => {
  await using storage = await openStorage()
  expect(await storage.database.write(undefined, async () => 'answer')).toBe('answer')
  const refusal = new Error('the caller was wrong')
  const refused = storage.database.write(undefined, async (tx) => {
    await addOrganization(tx, 'org_a')
    throw refusal
  })
  expect(await refused.catch((reason) => reason)).toBe(refusal)
  expect(await organizationIds(storage.database)).toEqual([])
})

test('a unit that fails leaves nothing, and its neighbours in the same batch are kept', async () => {
  await using storage = await openStorage()
  const outcomes = await Promise.allSettled(
    ['org_a', 'org_b', 'org_c', 'org_b', 'org_d'].map((id, number) =>
      storage.database.write(undefined, async (tx) => {
        await addOrganization(tx, `org_of_${number}`)
        if (number === 2) throw new Error('refused')
        await addOrganization(tx, id)
      }),
    ),
  )
  expect(outcomes.map((outcome) => outcome.status).filter((status) => status === 'rejected')).toHaveLength(2)
  const ids = await organizationIds(storage.database)
  expect(ids).toHaveLength(6)
  expect(ids).not.toContain('org_c')
  expect(ids).not.toContain('org_of_2')
})

test('queries a failed unit still has under way touch nothing', async () => {
  await using storage = await openStorage()
  const failing = storage.database.write(undefined, async (tx) => {
    await addOrganization(tx, 'org_a')
    await Promise.all([addOrganization(tx, 'org_a'), addOneByOne(tx, 'org_late')])
  })
  const neighbour = storage.database.write(undefined, (tx) => addOneByOne(tx, 'org_next'))
  expect(await Promise.allSettled([failing, neighbour])).toMatchObject([
    { status: 'rejected' },
    { status: 'fulfilled' },
  ])
  expect(await organizationIds(storage.database)).toEqual(['org_next_0', 'org_next_1', 'org_next_2'])
})

test('readers never see rows that are not committed', async () => {
  await using storage = await openStorage()
  const inserted = Promise.withResolvers<void>()
  let hasRead = false
  const writing = storage.database.write(undefined, async (tx) => {
    await addOrganization(tx, 'org_a')
    inserted.resolve()
    // The unit stays open until the reader has answered, which may first have to connect.
    while (!hasRead) await tx.select().from(organizations)
  })
  await inserted.promise
  const seen = await organizationIds(storage.database).finally(() => {
    hasRead = true
  })
  await writing
  expect(seen).toEqual([])
  expect(await organizationIds(storage.database)).toEqual(['org_a'])
})

test.if(engine === 'sqlite')(
  'what another process commits is seen by the next request, also within one turn of the event loop',
  async () => {
    await using storage = await openStorage()
    await storage.database.write(undefined, (tx) => addOrganization(tx, 'org_a'))
    using command = new Connection(databaseFile(storage.place))
    for (const id of ['org_b', 'org_c']) {
      // Earlier work of the same turn, such as that of a loop.
      await organizationIds(storage.database)
      command.run('update organizations set id = ?', [id])
      storage.database.refresh()
      expect(await organizationIds(storage.database)).toEqual([id])
    }
  },
)

test('a write inside a write is refused, and neither is kept', async () => {
  await using storage = await openStorage()
  const outer = storage.database.write(undefined, async (tx) => {
    await addOrganization(tx, 'org_outer')
    await storage.database.write(undefined, (inner) => addOrganization(inner, 'org_inner'))
  })
  const neighbour = storage.database.write(undefined, (tx) => addOrganization(tx, 'org_next'))
  expect(await outer.catch(causes)).toContain("write can't run inside a write")
  await neighbour
  expect(await organizationIds(storage.database)).toEqual(['org_next'])
})

test('a read inside a write is refused: it would not see the unit’s own rows', async () => {
  await using storage = await openStorage()
  const unit = storage.database.write(undefined, async (tx) => {
    await addOrganization(tx, 'org_a')
    await storage.database.read.select().from(organizations)
  })
  expect(await unit.catch(causes)).toContain("read can't run inside a write")
  expect(await organizationIds(storage.database)).toEqual([])
})

test('a transaction that is kept after its unit has ended writes nothing', async () => {
  await using storage = await openStorage()
  const tx = await storage.database.write(undefined, async (own) => ({ own }))
  expect(await addOrganization(tx.own, 'org_late').catch(causes)).toMatch(/ended/)
  await storage.database.write(undefined, (own) => addOrganization(own, 'org_next'))
  expect(await organizationIds(storage.database)).toEqual(['org_next'])
})

test('an endless row of writes leaves timers and requests their turn', async () => {
  await using storage = await openStorage()
  let hasFired = false
  setTimeout(() => {
    hasFired = true
  }, 0)
  let writes = 0
  await storage.database.write(undefined, (tx) => addOrganization(tx, 'org_a'))
  while (!hasFired && writes < 3_000) {
    writes += 1
    await storage.database.write(undefined, (tx) =>
      tx.update(organizations).set({ lastEvent: writes }).where(eq(organizations.id, 'org_a')),
    )
  }
  expect(hasFired).toBe(true)
})

test('closing waits for queued units and refuses later ones', async () => {
  const storage = await openStorage()
  const queued = Array.from({ length: 50 }, (_, number) =>
    storage.database.write(undefined, (tx) => addOrganization(tx, `org_${number}`)),
  )
  await storage.database.close()
  expect((await Promise.allSettled(queued)).every((outcome) => outcome.status === 'fulfilled')).toBe(true)
  const late = storage.database.write(undefined, (tx) => addOrganization(tx, 'org_late'))
  expect(await late.catch((reason) => reason)).toBeInstanceOf(StorageError)
  expect(await seenElsewhere(storage.place, IDS)).toHaveLength(50)
})

async function addOneByOne(tx: Transaction, name: string): Promise<void> {
  for (const number of [0, 1, 2]) await addOrganization(tx, `${name}_${number}`)
}

function causes(reason: unknown): string {
  const messages: string[] = []
  for (let at = reason; at instanceof Error; at = at.cause) messages.push(at.message)
  return messages.join(' ← ')
}
