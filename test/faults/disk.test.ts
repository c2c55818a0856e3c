import { describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { engine } from '../../server/database/columns.ts'
import { StorageError } from '../../server/database/database.ts'
import { findMessages } from '../../server/tickets/queries.ts'
import { createTicket } from '../../server/tickets/tickets.ts'
import {
  addOrganization,
  ORG,
  openStorage,
  openWorkspace,
  organizationIds,
  seenElsewhere,
} from '../database/storage.ts'
import { brokenPieces, countersAndRecount } from '../database/whole.ts'
import { fillUp, mountSmallDisk } from '../support/small-disk.ts'

const BALLAST_BYTES = 2 * 2 ** 20

const isMountable = engine === 'sqlite' && mountSmallDisk() !== undefined

// Each test has a disk of its own: what the log of a closed database still takes is known only to SQLite.
describe.if(isMountable)('on a full disk', () => {
  test('changes are refused whole, reads go on, and room is all it takes to write again', async () => {
    const folder = mountSmallDisk() ?? ''
    const ballast = join(folder, 'ballast')
    const place = { BELLHOP_DATA: join(folder, 'data') }
    await using workspace = await openWorkspace(place)
    writeFileSync(ballast, Buffer.alloc(BALLAST_BYTES))

    const create = (number: number) =>
      createTicket(workspace.deps, ORG, {
        subject: `Number ${number}`,
        customer: { email: `c${number}@example.com` },
        message: 'x'.repeat(20_000),
      })
    const kept: string[] = []
    let refusal: unknown
    for (let number = 0; !refusal && number < 2_000; number += 4) {
      const batch = await Promise.allSettled([0, 1, 2, 3].map((offset) => create(number + offset)))
      for (const outcome of batch) {
        if (outcome.status === 'fulfilled') kept.push(outcome.value.id)
        else refusal = outcome.reason
      }
    }
    expect(refusal).toBeInstanceOf(StorageError)
    expect(kept.length).toBeGreaterThan(10)
    expect(await create(-1).catch((reason) => reason)).toBeInstanceOf(StorageError)

    const messagesOf = (ticketId: string) =>
      findMessages(workspace.deps.database.read, { orgId: ORG, ticketId, limit: 2 })
    for (const id of kept) expect(await messagesOf(id)).toHaveLength(1)
    expect(await seenElsewhere(place, 'select id from tickets')).toHaveLength(kept.length)
    expect(await brokenPieces(place)).toEqual([])

    rmSync(ballast)
    for (let number = 3_000; number < 3_010; number += 1) kept.push((await create(number)).id)
    expect(await seenElsewhere(place, 'select id from tickets')).toHaveLength(kept.length)
    expect(await brokenPieces(place)).toEqual([])
    const { kept: counters, counted } = await countersAndRecount(place)
    expect(counters).toEqual(counted)
    expect(await seenElsewhere(place, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  })

  test('closing and opening again loses nothing that was acknowledged', async () => {
    const folder = mountSmallDisk() ?? ''
    const place = { BELLHOP_DATA: join(folder, 'data') }
    const storage = await openStorage(undefined, place)
    await storage.database.write(undefined, (tx) => addOrganization(tx, 'org_a'))
    const release = fillUp(folder)
    await storage.database.close()
    expect(await seenElsewhere(place, 'select id from organizations')).toEqual([{ id: 'org_a' }])
    release()
    await using again = await openStorage(undefined, place)
    await again.database.write(undefined, (tx) => addOrganization(tx, 'org_b'))
    expect(await organizationIds(again.database)).toEqual(['org_a', 'org_b'])
  })
})
