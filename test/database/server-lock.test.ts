import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { readConfig } from '../../server/config.ts'
import { engine } from '../../server/database/columns.ts'
import { createLog } from '../../server/log.ts'
import { startService } from '../../server/service.ts'
import { createManualClock } from '../support/clock.ts'
import { freshPlace } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { eventually } from '../support/webhooks.ts'
import { openProgram } from './storage.ts'

/** Each server has a folder of its own, and all of them the same key. */
const SECRET = { BELLHOP_SECRET: 'the same for every server' }
const silent = createLog('error', false, () => {}, Date.now)

describe.if(engine === 'postgresql')('a PostgreSQL database', () => {
  test('has one server at a time, whatever its data folder; commands can run at the same time', async () => {
    const place = await freshPlace()
    const start = () => {
      const config = readConfig({ ...place, BELLHOP_DATA: temporaryFolder('data'), PORT: '0', ...SECRET })
      return startService(config, { log: silent })
    }
    const first = await start()
    expect(await start().catch((reason) => reason)).toMatchObject({
      name: 'StartError',
      message: 'Another Bellhop server is using this database. Stop it first.',
    })
    await (await openProgram(place))[Symbol.asyncDispose]()
    await first.stop()
    await (await start()).stop()
  })

  test('is taken again by a server whose connection broke', async () => {
    const clock = createManualClock()
    const place = await freshPlace()
    const config = readConfig({ ...place, PORT: '0' })
    const service = await startService(config, { clock, log: silent })
    await using client = new SQL(place.DATABASE_URL ?? '', { max: 1 })
    const holders = () =>
      client`select pid from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`
    const [before] = await holders()
    await client`select pg_terminate_backend(${before.pid}, 5000)`
    expect(await holders()).toHaveLength(0)
    await eventually(async () => {
      clock.advance(5_000)
      return (await holders()).length === 1
    })
    await service.stop()
  })
})
