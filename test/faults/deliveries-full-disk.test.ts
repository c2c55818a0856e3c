import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { engine } from '../../server/database/columns.ts'
import { createManualClock } from '../support/clock.ts'
import { fillUp, mountSmallDisk } from '../support/small-disk.ts'
import { eventually, openWebhooks, type Webhooks } from '../support/webhooks.ts'

const isMountable = engine === 'sqlite' && mountSmallDisk() !== undefined

describe.if(isMountable)('when the disk is full', () => {
  test('no attempt starts that cannot be recorded, and sending continues once there is space', async () => {
    const disk = mountSmallDisk() ?? ''
    const clock = createManualClock()
    await using webhooks = await openWebhooks({ clock, place: { BELLHOP_DATA: join(disk, 'data') } })
    const receiver = await webhooks.receiver()
    await webhooks.endpoint(receiver.url)
    for (let number = 0; number < 20; number++) await webhooks.ticket()
    const release = fillUp(disk)
    webhooks.deliver()
    await refused(webhooks, 1)
    clock.advance(1_000)
    await refused(webhooks, 2)
    expect(receiver.requests).toHaveLength(0)
    release()
    clock.advance(1_000)
    await eventually(async () => (await webhooks.list({ state: 'succeeded' })).length === 20)
    expect(receiver.requests).toHaveLength(20)
  })

  test('results wait in memory, and nothing is lost or sent twice', async () => {
    const disk = mountSmallDisk() ?? ''
    const clock = createManualClock()
    await using webhooks = await openWebhooks({ clock, place: { BELLHOP_DATA: join(disk, 'data') } })
    const isFull = Promise.withResolvers<void>()
    const receiver = await webhooks.receiver((_, number) => ({
      status: number === 3 ? 500 : 200,
      ...(number > 0 && { after: isFull.promise }),
    }))
    await webhooks.endpoint(receiver.url)
    webhooks.deliver()
    // A new endpoint gets eight attempts at a time once it has responded.
    await webhooks.ticket()
    await webhooks.newest('succeeded', 1)
    for (let number = 0; number < 8; number++) await webhooks.ticket()
    await eventually(() => receiver.requests.length === 9)
    const release = fillUp(disk)
    isFull.resolve()
    await refused(webhooks, 1)
    clock.advance(1_000)
    await refused(webhooks, 2)
    expect((await webhooks.list({ state: 'in_flight' })).length).toBe(8)
    release()
    await eventually(async () => {
      clock.advance(500)
      return (await webhooks.list({ state: 'in_flight' })).length === 0
    })
    expect(receiver.requests).toHaveLength(9)
    expect(await webhooks.list({ state: 'succeeded' })).toHaveLength(8)
    expect((await webhooks.list({ state: 'pending' })).map(({ lastError }) => lastError)).toEqual([
      'http_5xx',
    ])
  })
})

/** Waits until the loop has logged this many storage errors. It tries once a second, not in a busy loop. */
async function refused(webhooks: Webhooks, times: number): Promise<void> {
  const count = () => webhooks.logLines.filter((line) => line.includes('delivery_results_not_saved')).length
  await eventually(() => count() >= times)
  await Bun.sleep(20)
  expect(count()).toBe(times)
}
