import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, sql } from 'drizzle-orm'
import { engine } from '../../server/database/columns.ts'
import { isReadTimeout } from '../../server/database/database.ts'
import { organizations } from '../../server/database/tables/organizations.ts'
import { ORG, openWorkspace } from './storage.ts'

let workspace: Awaited<ReturnType<typeof openWorkspace>>
beforeAll(async () => {
  workspace = await openWorkspace()
})

const namesIn = (reader: typeof workspace.deps.database.read) =>
  reader.select({ name: organizations.name }).from(organizations).where(eq(organizations.id, ORG))

describe('a read in the background', () => {
  test('sees every commit before it', async () => {
    const { database } = workspace.deps
    for (const name of ['Acme', 'Globex', 'Initech']) {
      await database.write(undefined, async (tx) => {
        await tx.update(organizations).set({ name }).where(eq(organizations.id, ORG))
      })
      expect(await namesIn(database.background)).toEqual([{ name }])
    }
  })

  test('is refused inside a unit of work, which it could not see', async () => {
    const { database } = workspace.deps
    const inside = database.write(undefined, async () => {
      await namesIn(database.background)
    })
    const reason: unknown = await inside.catch((error: unknown) => error)
    // Drizzle may have wrapped it.
    const fault = reason instanceof Error && reason.cause ? reason.cause : reason
    expect(String(fault)).toContain("can't run inside a write")
  })

  test('fails alone when its query is wrong', async () => {
    const { background } = workspace.deps.database
    const wrong = background.select({ one: sql`no_such_function()` }).from(organizations)
    await expect((async () => wrong)()).rejects.toThrow()
    expect(await namesIn(background)).toHaveLength(1)
  })

  // SQLite has no such limit: what takes long there is examined in ranges.
  test.if(engine === 'postgresql')('is ended by the server after some seconds', async () => {
    const { background } = workspace.deps.database
    const asleep = (async () => background.select({ one: sql`pg_sleep(60)` }).from(organizations))()
    const reason = await asleep.catch((error: unknown) => error)
    expect(isReadTimeout(reason)).toBe(true)
  })
})

afterAll(async () => {
  const { database } = workspace.deps
  // One that is still running when the database is closed has an end as well.
  const late = (async () => namesIn(database.background))().then(
    () => 'read',
    () => 'refused',
  )
  await database.close()
  expect(['read', 'refused']).toContain(await late)
})
