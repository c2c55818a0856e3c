import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createClient } from '../../release/clients/typescript/src/bellhop.ts'
import { createApiKey } from '../../server/api-keys/api-keys.ts'
import { KEY_SCOPES } from '../../server/database/tables/api-keys.ts'
import { emptyPlace } from '../support/engine.ts'
import { ADDRESS, startEveryChannel } from '../support/every-channel.ts'
import { temporaryFolder } from '../support/folder.ts'
import { describeWithMail } from '../support/mail/mail-tests.ts'
import { differences } from '../support/mirror/differences.ts'
import { readLog } from '../support/mirror/log-reader.ts'
import { openMirror } from '../support/mirror/mirror-store.ts'
import { createWriters } from '../support/mirror/writers.ts'
import { runProgram, startProgram } from '../support/program.ts'
import { seeded } from '../support/random.ts'
import { eventually } from '../support/webhooks.ts'

// A mirror follows the events while 64 writers change everything that `/v1` shows, and both it and the server are killed.
// MIRROR_SECONDS=300 writes for five minutes.

const SECONDS = Number(process.env.MIRROR_SECONDS ?? 30)
const SEED = Number(process.env.MIRROR_SEED ?? Date.now() % 1_000_000)
const WRITERS = 64
const PAUSE_MS = 100
const ROUNDS = 5
/** In which rounds. */
const BACKUP = 1
const RESTORE = 3
const LATE_MS = 2_000
const RETRY_MS = 100
const MAX_TEST_MS = 120_000 + 2_000 * SECONDS
/** What the second readers ask for. */
const FILTERS = [
  { limit: 7, wait: 5 },
  { limit: 100, wait: 5, types: 'ticket.updated,message.updated' },
  { limit: 1_000, wait: 30, types: 'customer.updated,customer.merged,ticket.deleted' },
]

describeWithMail('a mirror that follows the events', () => {
  test(
    `has everything two seconds after the last write, whatever was killed (seed ${SEED})`,
    async () => {
      await using stage = await openStage()
      const { bellhop } = stage
      const writers = createWriters({ ...stage, bellhop: stage.writer, random: seeded(SEED) })
      const readers = () => Promise.all(FILTERS.map((filter) => readLog(bellhop, filter)))
      let isOver = false
      let lastWrite = 0
      const writing = Array.from({ length: WRITERS }, async () => {
        while (!isOver) {
          await writers.write()
          lastWrite = Date.now()
          await Bun.sleep(Math.random() * 2 * PAUSE_MS)
        }
      })
      let reading = await readers()
      const pause = () => Bun.sleep((SECONDS * 1_000) / (2 * ROUNDS))
      const file = join(temporaryFolder('backup'), 'mirror.tar.zst')
      for (let round = 0; round < ROUNDS; round += 1) {
        await pause()
        if (round === BACKUP)
          expect(await runProgram(stage.place(), ['backup', file])).toMatchObject({ code: 0 })
        if (round === RESTORE) {
          for (const reader of reading) await expectNothingLate(reader)
          await stage.restore(file)
          reading = await readers()
        } else await stage.restart()
        await pause()
        await stage.killMirror()
      }
      isOver = true
      await Promise.all(writing)

      await eventually(async () => (await stage.rows.position()) === (await bellhop.get('/me')).newestEvent)
      const late = Date.now() - lastWrite
      const [missed, count] = await differences(stage)
      console.log(
        `${stage.name}: ${count} objects, ${[...writers.done.values()].reduce((a, b) => a + b)} writes, ` +
          `equal after ${late} ms: ${JSON.stringify(Object.fromEntries(writers.done))}`,
      )
      expect(missed).toEqual([])
      for (const reader of reading) await expectNothingLate(reader)
      expect(late).toBeLessThan(LATE_MS)
      for (const [kind, times] of writers.done) expect([kind, times > 0]).toEqual([kind, true])
    },
    MAX_TEST_MS,
  )
})

async function expectNothingLate(reader: Awaited<ReturnType<typeof readLog>>): Promise<void> {
  const { read, missed, invented } = await reader.end()
  expect({ missed, invented }).toEqual({ missed: [], invented: [] })
  expect(read).toBeGreaterThan(0)
}

/** Sends again at once while the server is away, so that the writers don't rest. */
async function untilAnswered(url: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const answer = await fetch(url, init).catch(() => undefined)
    if (answer || init.signal?.aborted) return answer ?? Promise.reject(init.signal?.reason)
    await Bun.sleep(RETRY_MS)
  }
}

/** A server with all channels, what is on their other side, and a mirror. */
async function openStage() {
  const newKey = { name: 'Mirror', kind: 'secret' as const, scopes: [...KEY_SCOPES], rateLimit: 1_000_000 }
  const started = await startEveryChannel({ fill: (deps, { orgId }) => createApiKey(deps, orgId, newKey) })
  const { url, telegram, bot, smtp, dovecot, widget, identitySecret } = started
  const { secret: key } = started.filled
  let { place, program: running } = started

  const mirrorFile = join(temporaryFolder('mirror'), 'mirror.db')
  const rows = openMirror(new Database(mirrorFile))
  const startMirror = () =>
    Bun.spawn([process.execPath, join(import.meta.dir, '../support/mirror/mirror.ts'), mirrorFile], {
      env: { BELLHOP_URL: url, BELLHOP_KEY: key },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
  let mirror = startMirror()
  return {
    name: started.engine,
    url,
    bellhop: createClient({ url, key, fetch: untilAnswered }),
    /** Doesn't wait for its turn when too many tickets were merged in a minute. */
    writer: createClient({ url, key, fetch: untilAnswered, maxTries: 1 }),
    agentId: started.admin.id,
    widget: { key: widget.key, identitySecret },
    mail: { dovecot, smtp, address: ADDRESS },
    telegram: { server: telegram, bot },
    rows,
    place: () => place,
    async restart() {
      await running.end('SIGKILL')
      running = await startProgram(place)
    },
    /** Puts a backup into another place, and goes on there. */
    async restore(file: string) {
      await running.end('SIGKILL')
      place = { ...place, ...(await emptyPlace()) }
      expect(await runProgram(place, ['restore', file])).toMatchObject({ code: 0, err: '' })
      running = await startProgram(place)
    },
    async killMirror() {
      mirror.kill('SIGKILL')
      await mirror.exited
      mirror = startMirror()
    },
    async [Symbol.asyncDispose]() {
      mirror.kill('SIGKILL')
      await mirror.exited
      await running.end('SIGKILL')
      await started.stop()
    },
  }
}
