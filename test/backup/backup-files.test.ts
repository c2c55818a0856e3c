import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chownSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Finished, PROGRAM, runProgram } from '../support/program.ts'
import { fillUp, mountSmallDisk } from '../support/small-disk.ts'
import { makeTicket } from '../support/tickets.ts'
import { storedFiles, storedPath, upload } from '../support/uploads.ts'
import { contentsOf } from './contents.ts'

const CONTENT = 'The bytes of a file. '.repeat(50_000)

/** Backups have the lowest priority, so each may have to wait on a busy machine. */
const MAX_TEST_MS = 180_000
/** A user and a group without a name. */
const SOMEONE = 54_321

let bellhop: Bellhop
const folder = temporaryFolder('backups')
const [plain, encrypted] = [join(folder, 'plain.tar.zst'), join(folder, 'encrypted.tar.zst.age')]
const [passphrase, wrong] = [join(folder, 'passphrase'), join(folder, 'wrong')]

function bellhopCommand(dataFolder: string, ...args: string[]): Promise<Finished> {
  return runProgram({ BELLHOP_DATA: dataFolder }, args)
}

const backUp = (...args: string[]) => bellhopCommand(bellhop.deps.config.dataFolder, 'backup', ...args)

describe('backups', () => {
  beforeAll(async () => {
    bellhop = await startBellhop()
    writeFileSync(passphrase, 'correct horse battery staple\n')
    writeFileSync(wrong, 'incorrect horse\n')
    const client = await bellhop.organization()
    const { id } = await upload(client, 'file.txt', CONTENT)
    await makeTicket(client, { attachments: [id] })
    for (const args of [[plain], [encrypted, '--passphrase-file', passphrase]]) {
      expect(await backUp(...args)).toMatchObject({ code: 0, err: '' })
    }
  }, MAX_TEST_MS)
  afterAll(() => bellhop.stop())

  test.each([
    ['plain', plain, []],
    ['encrypted', encrypted, ['--passphrase-file', passphrase]],
  ])(
    'an %s backup of a running server is restored with its database, files, and key',
    async (_, file, args) => {
      const target = join(temporaryFolder(), 'new', 'data')
      const restored = await bellhopCommand(target, 'restore', file, ...args)
      expect([restored.code, restored.err]).toEqual([0, ''])
      expect(restored.out).toStartWith(`Restored ${target} as of 20`)

      const source = bellhop.deps.config.dataFolder
      expect(contentsOf(target)).toEqual(contentsOf(source))
      expect(readFileSync(join(target, 'secret.key'))).toEqual(readFileSync(join(source, 'secret.key')))
      const there = { config: { ...bellhop.deps.config, dataFolder: target } }
      expect(storedFiles({ ...bellhop.deps, ...there })).toEqual(storedFiles(bellhop.deps))
      const { out } = await bellhopCommand(target, 'org', 'list', '--json')
      expect(JSON.parse(out)).toMatchObject([{ name: 'Acme' }])
    },
  )

  const hasZstd = Bun.which('zstd') !== null
  if (!hasZstd) console.warn('zstd is not installed: backups are not opened with it.')
  test.skipIf(!hasZstd && !process.env.CI)('a backup opens with the standard programs', () => {
    const listed = Bun.spawnSync(['sh', '-c', `zstd -dc "${plain}" | tar -t`])
    const file = storedFiles(bellhop.deps)[0] ?? ''
    expect(listed.stdout.toString().split('\n').filter(Boolean)).toEqual([
      'bellhop.db',
      'secret.key',
      `attachments/${file.slice(0, 2)}/${file}`,
      'manifest.json',
    ])
    expect(readFileSync(encrypted).toString('latin1')).toStartWith('age-encryption.org/v1\n-> scrypt ')
  })

  const DAMAGES: [string, (bytes: Buffer) => Buffer][] = [
    ['was cut off', (bytes) => bytes.subarray(0, bytes.length - 40)],
    ['was cut off in the middle', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['has a changed byte', (bytes) => changed(bytes, bytes.length >> 1)],
  ]
  const STRANGERS: [string, () => Buffer][] = [
    ['an empty file', () => Buffer.alloc(0)],
    ['a text', () => Buffer.from('not a backup')],
    ['another archive', () => archiveOf('/etc/hostname')],
    ['an archive that leaves the folder', () => archiveOf('../../etc/hostname')],
  ]

  function changed(bytes: Buffer, at: number): Buffer {
    const copy = Buffer.from(bytes)
    copy[at] = (copy[at] ?? 0) ^ 255
    return copy
  }

  function archiveOf(path: string): Buffer {
    return Bun.spawnSync(['sh', '-c', `tar -P -cf - "${path}" | zstd`], { cwd: '/usr/bin' }).stdout
  }

  async function expectRefusal(file: string, args: string[], message: RegExp | string): Promise<void> {
    const target = join(temporaryFolder(), 'data')
    const refused = await bellhopCommand(target, 'restore', file, ...args)
    expect([refused.code, refused.out]).toEqual([1, ''])
    expect(refused.err).toMatch(message)
    expect(refused.err.trim()).not.toContain('\n')
    expect(existsSync(target)).toBe(false)
  }

  test.each(DAMAGES)(
    'a backup that %s is refused in one sentence, and nothing changes',
    async (_, damage) => {
      for (const [file, ...args] of [[plain], [encrypted, '--passphrase-file', passphrase]]) {
        const damaged = join(temporaryFolder(), 'damaged')
        writeFileSync(damaged, damage(readFileSync(file ?? '')))
        await expectRefusal(damaged, args, /damaged or incomplete/)
      }
    },
  )

  test.each(STRANGERS)('%s is refused in one sentence, and nothing changes', async (_, made) => {
    const stranger = join(temporaryFolder(), 'stranger')
    writeFileSync(stranger, made())
    await expectRefusal(stranger, [], /isn't a Bellhop backup/)
  })

  test('a wrong passphrase, none, or no file at all is refused', async () => {
    await expectRefusal(encrypted, ['--passphrase-file', wrong], `The passphrase doesn't fit ${encrypted}.`)
    await expectRefusal(
      encrypted,
      [],
      `${encrypted} is encrypted. Give its passphrase with --passphrase-file.`,
    )
    await expectRefusal(join(folder, 'none'), [], /Can't read .*none: the folder or file doesn't exist\./)
  })

  test('a restore refuses a folder that is in use or not empty, and changes nothing in it', async () => {
    const source = bellhop.deps.config.dataFolder
    const inUse = await bellhopCommand(source, 'restore', plain)
    expect([inUse.code, inUse.err]).toEqual([
      1,
      expect.stringMatching(/^Another Bellhop server .* Stop it first\.\n$/),
    ])

    const full = temporaryFolder()
    writeFileSync(join(full, 'letter.txt'), 'mine')
    const notEmpty = await bellhopCommand(full, 'restore', plain)
    expect(notEmpty).toEqual({
      code: 1,
      out: '',
      err: `The data folder ${full} isn't empty: it has letter.txt. Choose an empty or a new folder with BELLHOP_DATA.\n`,
    })
    expect(readdirSync(full)).toEqual(['letter.txt'])
  })

  test('a backup of a newer version is refused', async () => {
    const newer = temporaryFolder()
    expect((await bellhopCommand(newer, 'restore', plain)).code).toBe(0)
    using database = new Database(join(newer, 'bellhop.db'))
    database.run("insert into bellhop_migrations (version, name, applied_at) values (900, 'future', 0)")
    const file = join(temporaryFolder(), 'newer.tar.zst')
    expect((await bellhopCommand(newer, 'backup', file)).code).toBe(0)
    await expectRefusal(file, [], /has data of a newer version of Bellhop/)
  })

  test('a backup replaces no file, and needs a folder to be in, and data', async () => {
    const before = readFileSync(plain)
    expect(await backUp(plain)).toMatchObject({
      code: 1,
      err: `${plain} exists already. Choose another name.\n`,
    })
    expect(readFileSync(plain)).toEqual(before)
    expect((await backUp(join(folder, 'no', 'x'))).err).toBe(
      `Can't write x: there is no folder ${join(folder, 'no')}.\n`,
    )
    const empty = temporaryFolder()
    expect((await bellhopCommand(empty, 'backup', join(folder, 'none'))).err).toStartWith(
      'There is no Bellhop data in',
    )
    expect(readdirSync(empty)).toEqual([])
  })

  test.if(process.geteuid?.() === 0)(
    'a backup that root makes leaves no file that the server may not open',
    async () => {
      const data = join(temporaryFolder(), 'data')
      expect((await bellhopCommand(data, 'restore', plain)).code).toBe(0)
      chownSync(data, SOMEONE, SOMEONE)
      expect((await bellhopCommand(data, 'backup', join(temporaryFolder(), 'x'))).code).toBe(0)
      expect(statSync(join(data, 'backup.lock'))).toMatchObject({ uid: SOMEONE, gid: SOMEONE })
    },
  )

  test('a full disk ends a backup in one sentence and leaves nothing', async () => {
    const disk = mountSmallDisk()
    if (!disk) return
    using _ = { [Symbol.dispose]: fillUp(disk) }
    const before = readdirSync(disk)
    const file = join(disk, 'backup.tar.zst')
    expect(await backUp(file)).toEqual({
      code: 1,
      out: '',
      err: `Can't write to ${disk}: the disk is full.\n`,
    })
    expect(readdirSync(disk)).toEqual(before)
    expect(readdirSync(bellhop.deps.config.dataFolder)).not.toContain('backup.partial')
  })

  test('a file that is missing in the data folder is named, and the rest is backed up', async () => {
    const client = await bellhop.organization('Globex')
    const { id } = await upload(client, 'gone.txt', 'soon gone')
    await makeTicket(client, { attachments: [id] })
    rmSync(storedPath(bellhop.deps, 'soon gone'))
    const file = join(temporaryFolder(), 'partial.tar.zst')
    expect(await backUp(file)).toMatchObject({
      code: 0,
      err: '1 attachment is missing or damaged in the data folder, and so in the backup.\n',
    })
    const target = join(temporaryFolder(), 'data')
    expect(await bellhopCommand(target, 'restore', file)).toMatchObject({
      code: 0,
      err: '1 attachment was missing when the backup was made.\n',
    })
  })

  test.each(['backup', 'restore'])(
    'whenever a %s is killed, the old state or the new one is there',
    async (command) => {
      const source = bellhop.deps.config.dataFolder
      for (let kill = 0; kill < 3; kill += 1) {
        const [file, target] = [join(temporaryFolder(), 'killed.tar.zst'), join(temporaryFolder(), 'data')]
        const args = command === 'backup' ? ['backup', file] : ['restore', plain]
        const env = { BELLHOP_DATA: command === 'backup' ? source : target }
        const child = Bun.spawn([...PROGRAM, ...args], { env, stdio: ['ignore', 'ignore', 'ignore'] })
        await Bun.sleep(Math.random() * 600)
        child.kill('SIGKILL')
        await child.exited
        if (command === 'backup') {
          // A file under the name is a whole backup, and the next one isn't in the way of what is left.
          if (!existsSync(file)) expect(await backUp(file)).toMatchObject({ code: 0 })
          expect((await bellhopCommand(target, 'restore', file)).code).toBe(0)
        } else if (!existsSync(join(target, 'bellhop.db')) || existsSync(join(target, 'restore.partial'))) {
          const { code, err } = await bellhopCommand(target, 'org', 'list')
          expect([code, err]).toEqual([
            1,
            expect.stringMatching(/There is no Bellhop data|Run bellhop restore again/),
          ])
          expect(await bellhopCommand(target, 'restore', plain)).toMatchObject({ code: 0 })
        }
        expect(contentsOf(target).tickets).toBeGreaterThan(0)
        expect(readdirSync(target).filter((name) => name.includes('partial'))).toEqual([])
      }
    },
    MAX_TEST_MS,
  )
})
