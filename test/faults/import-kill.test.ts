import { expect, test } from 'bun:test'
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportFrom, importInto, placeOf, type WrittenExport } from '../export/exports.ts'
import { startBellhop } from '../support/bellhop.ts'
import { emptyPlace } from '../support/engine.ts'
import { makeManyTickets } from '../support/many-tickets.ts'
import { type Place, PROGRAM, runProgram } from '../support/program.ts'
import { makeTicket } from '../support/tickets.ts'
import { upload } from '../support/uploads.ts'

const TICKETS = 200
const FILES = 30

test('an import that was killed in the middle left nothing, and works the next time', async () => {
  const { file, hash } = await exportOf(FILES)
  // When the data folder is locked, and when all rows are written and the first files are there.
  const moments: ((folder: string) => boolean)[] = [
    (folder) => existsSync(join(folder, 'server.json')),
    (folder) => storedIn(folder) > FILES / 2,
  ]
  for (const hasCome of moments) {
    // Again when it had ended before it was killed.
    while (!(await isLeftWithout(hasCome)));
  }

  /** Returns whether an import that was killed at a moment left nothing, so that the next one stored everything. */
  async function isLeftWithout(hasCome: (folder: string) => boolean): Promise<boolean> {
    const place = await emptyPlace()
    const child = Bun.spawn([...PROGRAM, 'import', file], {
      env: place,
      stdio: ['ignore', 'ignore', 'ignore'],
    })
    while (child.exitCode === null && !hasCome(place.BELLHOP_DATA)) await Bun.sleep(1)
    child.kill('SIGKILL')
    await child.exited
    const isLeft = (await organizationsIn(place)).length === 0
    if (isLeft) expect(await importInto(place, file)).toMatchObject({ code: 0, err: '' })
    expect((await exportFrom(place)).hash).toBe(hash)
    return isLeft
  }
})

test('an import that fails in the middle leaves nothing, and works the next time', async () => {
  const { file, hash } = await exportOf(1)
  const place = await emptyPlace()
  const inTheWay = join(place.BELLHOP_DATA, 'attachments')
  writeFileSync(inTheWay, 'Files are stored after all rows, and they need a folder here.')
  const failed = await importInto(place, file)
  expect([failed.code, failed.out]).toEqual([1, ''])
  expect(await organizationsIn(place)).toEqual([])
  rmSync(inTheWay)
  expect(await importInto(place, file)).toMatchObject({ code: 0, err: '' })
  expect((await exportFrom(place)).hash).toBe(hash)
})

async function exportOf(files: number): Promise<WrittenExport> {
  const bellhop = await startBellhop()
  const client = await bellhop.organization()
  await makeManyTickets(bellhop.deps, client.orgId, TICKETS)
  for (let number = 0; number < files; number += 1) {
    const { id } = await upload(client, `${number}.txt`, `File ${number}`)
    await makeTicket(client, { attachments: [id] })
  }
  const written = await exportFrom(placeOf(bellhop.deps.config))
  await bellhop.stop()
  return written
}

function storedIn(folder: string): number {
  const root = join(folder, 'attachments')
  if (!existsSync(root)) return 0
  return readdirSync(root, { recursive: true }).filter((name) => /[0-9a-f]{64}$/.test(String(name))).length
}

async function organizationsIn(place: Place): Promise<unknown[]> {
  const listed = await runProgram(place, ['org', 'list', '--json'])
  // Killed before there was a database.
  return listed.code === 0 ? JSON.parse(listed.out) : []
}
