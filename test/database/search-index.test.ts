import { describe, expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { matchingNumbers } from '../../server/database/full-text.ts'
import { organizations } from '../../server/database/tables/organizations.ts'
import { replaceDocuments } from '../../server/search/index/documents.ts'
import { eventually } from '../support/webhooks.ts'
import { ORG, openWorkspace, seenElsewhere } from './storage.ts'

const WAITING = 'select 1 as one from pg_locks where not granted'

// SQLite has one unit at a time.
describe.if(engine === 'postgresql')('the full-text index', () => {
  test('keeps nothing of a ticket that is deleted while it is being indexed again', async () => {
    await using workspace = await openWorkspace()
    const { database } = workspace.deps
    const ticket = (words: string[] | undefined) => [{ ticketId: 'tkt_1', words }]
    await database.write(undefined, (tx) => replaceDocuments(tx, ORG, ticket(['quokka'])))

    const isIn = Promise.withResolvers<void>()
    let isWaitedFor = false
    const indexing = database.write(undefined, async (tx) => {
      await replaceDocuments(tx, ORG, ticket(['quokka', 'again']))
      isIn.resolve()
      while (!isWaitedFor) await tx.select().from(organizations)
    })
    await isIn.promise
    const deleting = database.write(undefined, (tx) => replaceDocuments(tx, ORG, ticket(undefined)))
    await eventually(async () => (await seenElsewhere(workspace.place, WAITING)).length > 0)
    isWaitedFor = true
    await Promise.all([indexing, deleting])

    const wanted = { required: [{ words: ['quokka'], isOpenEnded: false }], excluded: [] }
    const within = { downTo: 0, below: Number.MAX_SAFE_INTEGER, limit: 10 }
    expect((await matchingNumbers(database.read, wanted, within)).numbers).toEqual([])
  })
})
