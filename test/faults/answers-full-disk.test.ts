import { expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { engine } from '../../server/database/columns.ts'
import { call, startBellhop } from '../support/bellhop.ts'
import { temporaryFolder } from '../support/folder.ts'
import { PROGRAM, runProgram, startProgram } from '../support/program.ts'
import { fillUp, mountSmallDisk } from '../support/small-disk.ts'

const disk = engine === 'sqlite' ? mountSmallDisk() : undefined

test.if(disk !== undefined)(
  'on a full disk, the answer names the disk, the server is not ready, and the log has one line',
  async () => {
    const bellhop = await startBellhop({ settings: { BELLHOP_DATA: join(disk ?? '', 'data') } })
    const client = await bellhop.organization()
    const release = fillUp(disk ?? '')
    const body = { subject: 'Lost', message: 'x'.repeat(60_000), customer: { email: 'cy@example.com' } }
    const answers = []
    for (let number = 0; number < 100; number += 1)
      answers.push(await client.call('POST', '/tickets', { body }))
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(10)
    expect(refused.at(-1)?.json).toMatchObject({
      code: 'storage_unavailable',
      detail: "The change couldn't be saved, because the server's disk is full. Nothing changed. Try again.",
    })
    const ready = () => call<{ status: string }>('GET', `${bellhop.url}/health/ready`)
    expect(await ready()).toMatchObject({
      status: 503,
      json: { status: 'The disk of the data folder is full.' },
    })
    expect(bellhop.logLines.filter((line) => line.includes('storage_failed'))).toHaveLength(1)
    release()
    expect((await client.call('POST', '/tickets', { body })).status).toBe(201)
    expect((await ready()).status).toBe(200)
    await bellhop.stop()
  },
)

const other = engine === 'sqlite' ? mountSmallDisk() : undefined

test.if(other !== undefined)(
  'doctor works on a full disk and reports it, and serve says it at start',
  async () => {
    const place = { BELLHOP_DATA: join(other ?? '', 'data'), PORT: '0' }
    const setup = ['setup', '--org', 'Acme', '--name', 'Ana', '--email', 'ana@acme.example']
    expect((await runProgram(place, setup)).code).toBe(0)
    for (const name of ['bellhop.db-shm', 'bellhop.db-wal'])
      rmSync(join(place.BELLHOP_DATA, name), { force: true })
    const folder = temporaryFolder('few-bytes')
    const logged = ['/bin/sh', '-c', `exec "$@" 2>${join(folder, 'log')}`, 'sh', ...PROGRAM]
    await using server = await startProgram(place, logged)
    expect(await Bun.file(join(folder, 'log')).text()).toMatch(
      /^[\d.]+ MB are free on the disk of the data folder\. Free some space, or move the data folder to a larger disk\.\n$/,
    )
    await server.end('SIGTERM')

    const release = fillUp(other ?? '')
    const { code, out, err } = await runProgram(place, ['doctor'])
    expect([code, err]).toEqual([1, expect.stringMatching(/^\d errors and \d warnings found\.\n$/)])
    expect(out).toContain('error    disk         The disk of the data folder is full.\n')
    expect(out).not.toContain('This check failed')
    const refused = await runProgram(place, ['serve'])
    expect([refused.code, refused.out, refused.err]).toEqual([
      1,
      '',
      `The disk of the data folder ${place.BELLHOP_DATA} is full. Free some space, then start again.\n`,
    ])
    release()
  },
)
