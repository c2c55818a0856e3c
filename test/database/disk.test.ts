import { afterAll, describe, expect, test } from 'bun:test'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { engine } from '../../server/database/columns.ts'
import { StorageError } from '../../server/database/database.ts'
import { createTicket, readTicket } from '../../server/tickets/tickets.ts'
import { temporaryFolder } from '../support/folder.ts'
import {
  addOrganization,
  ORG,
  openStorage,
  openWorkspace,
  organizationIds,
  seenElsewhere,
} from './storage.ts'
import { brokenPieces, countersAndRecount } from './whole.ts'

const DISK_MIB = 8
const BALLAST_BYTES = 2 * 2 ** 20
const mounts: string[] = []

afterAll(() => {
  for (const folder of mounts) Bun.spawnSync(['umount', '--lazy', folder])
})

const disk = engine === 'sqlite' ? smallDisk() : undefined

describe.if(disk !== undefined)('on a full disk', () => {
  test('changes are refused whole, reads go on, and room is all it takes to write again', async () => {
    const folder = disk ?? ''
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

    for (const id of kept) expect((await readTicket(workspace.deps, ORG, id)).messages).toHaveLength(1)
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
    const folder = disk ?? ''
    const place = { BELLHOP_DATA: join(folder, 'data-2') }
    const storage = await openStorage(undefined, place)
    await storage.database.write((tx) => addOrganization(tx, 'org_a'))
    fillUp(folder)
    await storage.database.close()
    expect(await seenElsewhere(place, 'select id from organizations')).toEqual([{ id: 'org_a' }])
    rmSync(join(folder, 'filling'))
    await using again = await openStorage(undefined, place)
    await again.database.write((tx) => addOrganization(tx, 'org_b'))
    expect(await organizationIds(again.database)).toEqual(['org_a', 'org_b'])
  })
})

function fillUp(folder: string): void {
  try {
    writeFileSync(join(folder, 'filling'), Buffer.alloc(DISK_MIB * 2 ** 20))
  } catch (error) {
    if (!String(error).includes('ENOSPC')) throw error
  }
}

/** A disk of a few megabytes in memory; undefined where mounting is not permitted, which CI must be able to do. */
function smallDisk(): string | undefined {
  const folder = temporaryFolder('disk')
  const { exitCode, stderr } = Bun.spawnSync([
    'mount',
    '-t',
    'tmpfs',
    '-o',
    `size=${DISK_MIB}m`,
    'tmpfs',
    folder,
  ])
  if (exitCode === 0) {
    mounts.push(folder)
    return folder
  }
  if (process.env.CI) throw new Error(`A small disk could not be mounted: ${stderr}`)
  console.warn('The tests of a full disk are skipped: mounting is not permitted here.')
  return undefined
}
