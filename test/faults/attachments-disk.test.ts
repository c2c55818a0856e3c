import { afterAll, describe, expect, test } from 'bun:test'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { attachments } from '../../server/database/tables/attachments.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { temporaryFolder } from '../support/folder.ts'
import { fillUp, mountSmallDisk } from '../support/small-disk.ts'
import { problemOf } from '../support/tickets.ts'
import { storedFiles, storedPath, tryUpload, upload } from '../support/uploads.ts'

const started: Bellhop[] = []
afterAll(() => Promise.all(started.map((bellhop) => bellhop.stop())))

/** A server that keeps its data, or its attachments, on these disks. */
async function startOn(folders: { data: string; attachments?: string }) {
  const { data } = folders
  if (folders.attachments) symlinkSync(folders.attachments, join(data, 'attachments'))
  const bellhop = await startBellhop({ clock: createManualClock(), settings: { BELLHOP_DATA: data } })
  started.push(bellhop)
  return { bellhop, client: await bellhop.organization() }
}

const rowsOf = ({ deps }: Bellhop) => deps.database.read.select().from(attachments)
const disk = mountSmallDisk()

describe.if(disk !== undefined)('a full disk', () => {
  test('refuses a file in a plain sentence and keeps no part of it, until there is room', async () => {
    const folder = disk ?? ''
    const { bellhop, client } = await startOn({ data: temporaryFolder('data'), attachments: folder })
    await upload(client, 'x', 'Before')
    // The disk is full at the start of a file, and in the middle of one.
    const release = fillUp(folder)
    const small = await tryUpload(client, 'x', 'x'.repeat(10_000))
    expect(problemOf(small, 507, 'disk_full').detail).toBe(
      'The file couldn’t be saved, because the server’s disk is full. Nothing changed.',
    )
    release()
    problemOf(await tryUpload(client, 'x', new Uint8Array(9 * 2 ** 20)), 507, 'disk_full')
    expect(storedFiles(bellhop.deps)).toHaveLength(1)
    expect(await rowsOf(bellhop)).toHaveLength(1)
    await upload(client, 'x', 'x'.repeat(10_000))
    expect(storedFiles(bellhop.deps)).toHaveLength(2)
  })

  test('of the database leaves no file without a row', async () => {
    const data = mountSmallDisk() ?? ''
    const { bellhop, client } = await startOn({ data, attachments: temporaryFolder('attachments') })
    const release = fillUp(data)
    // The log of changes may have some room left.
    let number = 0
    let answer = await tryUpload(client, 'x', 'File 0')
    while (answer.status === 201 && number < 2_000) {
      number += 1
      answer = await tryUpload(client, 'x', `File ${number}`)
    }
    problemOf(answer, 503, 'storage_unavailable')
    expect(await Bun.file(storedPath(bellhop.deps, `File ${number}`)).exists()).toBe(false)
    expect(storedFiles(bellhop.deps)).toHaveLength((await rowsOf(bellhop)).length)
    release()
    expect((await upload(client, 'x', 'There is room')).size).toBe(13)
  })
})
