import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import {
  chmodSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../server/config.ts'
import { engine } from '../../server/database/columns.ts'
import { DATABASE_FILE } from '../../server/database/open.ts'
import { startService } from '../../server/service.ts'
import { freshPlace } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { runProgram } from '../support/program.ts'
import { fillUp, mountSmallDisk } from '../support/small-disk.ts'

const SETUP = ['setup', '--org', 'Acme', '--name', 'Ana', '--email', 'ana@acme.example']

/**
 * The data folder of an installation with an organization, after it was stopped. Made by another process: a connection
 * that was closed here would still remove the log of the database later, when its statements are garbage collected.
 */
async function makeInstallation(folder: string): Promise<{ place: Record<string, string>; folder: string }> {
  const place = { ...(await freshPlace()), BELLHOP_DATA: folder }
  expect((await runProgram(place, SETUP)).code).toBe(0)
  return { place, folder }
}

async function refusal(place: Record<string, string>): Promise<string> {
  const started = await startService(readConfig({ ...place, PORT: '0' })).catch((error: Error) => error)
  if (!(started instanceof Error)) await started.stop()
  return started instanceof Error ? `${started.name}: ${started.message}` : 'It started.'
}

test('without its key an installation does not start, and gets no new one', async () => {
  const { place, folder } = await makeInstallation(temporaryFolder('data'))
  const key = join(folder, 'secret.key')
  rmSync(key)
  expect(await refusal(place)).toBe(
    `StartError: ${key} is missing. Restore it from your backup, or set BELLHOP_SECRET to its content: without it, stored secrets can't be decrypted.`,
  )
  expect(existsSync(key)).toBe(false)
})

const DAMAGES: [string, (file: string) => void, RegExp][] = [
  ['was emptied', (file) => truncateSync(file), /bellhop\.db is empty, but there is .*secret\.key beside it/],
  ['is no database', (file) => writeFileSync(file, 'A letter'), /bellhop\.db isn't a Bellhop database/],
  ['is another program’s', makeForeign, /bellhop\.db isn't a Bellhop database/],
  [
    'was deleted from beside its log',
    (file) => {
      rmSync(file)
      writeFileSync(`${file}-wal`, 'Rows')
    },
    /bellhop\.db is missing, but there is .*bellhop\.db-wal beside it/,
  ],
]

test.if(engine === 'sqlite').each(DAMAGES)(
  'a server whose database %s does not start, and changes nothing',
  async (_name, damage, words) => {
    const { place, folder } = await makeInstallation(temporaryFolder('data'))
    damage(join(folder, DATABASE_FILE))
    const before = temporaryFolder('before')
    cpSync(folder, before, { recursive: true })
    expect(await refusal(place)).toMatch(words)
    const files = (one: string) =>
      readdirSync(one)
        .filter((name) => name.startsWith(DATABASE_FILE))
        .sort()
        .map((name) => [name, readFileSync(join(one, name), 'base64')])
    expect(files(folder)).toEqual(files(before))
  },
)

test.if(engine === 'sqlite')('a server whose database is not writable says so', async () => {
  const { place, folder } = await makeInstallation(temporaryFolder('data'))
  const file = join(folder, DATABASE_FILE)
  if (process.getuid?.() === 0) {
    // Nothing stops root but a disk that is read only.
    const mounts = [
      ['--bind', file, file],
      ['-o', 'remount,ro,bind', file],
    ]
    if (mounts.some((mount) => Bun.spawnSync(['mount', ...mount]).exitCode !== 0)) {
      console.warn('A database that is read only was not tested: mounting is not permitted here.')
      return
    }
  } else chmodSync(file, 0o400)
  try {
    expect(await refusal(place)).toBe(
      `StartError: ${file} isn't writable by this user. Change its owner, its mode, or its disk.`,
    )
  } finally {
    if (process.getuid?.() === 0) Bun.spawnSync(['umount', file])
  }
})

const disk = engine === 'sqlite' ? mountSmallDisk() : undefined

test.if(disk !== undefined)('a server whose disk is full names the folder', async () => {
  const { place, folder } = await makeInstallation(join(disk ?? '', 'data'))
  const free = fillUp(disk ?? '')
  expect(await refusal(place)).toBe(
    `StartError: The disk of the data folder ${folder} is full. Free some space, then start again.`,
  )
  free()
  expect(await refusal(place)).toBe('It started.')
})

function makeForeign(file: string): void {
  rmSync(file)
  const database = new Database(file, { create: true })
  database.exec('CREATE TABLE notes (text)')
  database.close()
}
