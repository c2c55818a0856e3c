import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { engine } from '../../server/database/columns.ts'
import { call, startBellhop } from '../support/bellhop.ts'
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
