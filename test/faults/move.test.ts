import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { makeManyTickets } from '../support/many-tickets.ts'
import { type Cluster, createEmptyDatabase, postgresPrograms, startCluster } from '../support/postgres.ts'
import { PROGRAM, runProgram, startProgram } from '../support/program.ts'
import { startSeparateBellhop } from '../support/separate-bellhop.ts'
import { contentsOfFile, contentsOfPostgres } from '../support/table-contents.ts'
import { ticketInput } from '../support/tickets.ts'

/** The suite takes few. `MOVED_TICKETS=1000000` is what an installation has after years. */
const TICKETS = Number(process.env.MOVED_TICKETS ?? 5_000)
const TICKETS_AT_ONCE = 2_500
const WRITES_PER_SECOND = 200
const WRITE_EVERY_MS = 100
/** How long changes were refused or waited. */
const MAX_HELD_MS = 5_000
/** The sentences of the command, each of which it is killed after, at once or a moment later. */
const STEPS = [
  'Noting',
  'Making',
  'Copying to',
  'customers',
  'tickets',
  'messages',
  'Copying what',
  'Holding',
]
const MAX_LATER_MS = 30

const BELLHOP_SECRET = 'the same for all of these'

const programs = postgresPrograms()
let cluster: Cluster

beforeAll(async () => {
  if (programs) cluster = await startCluster(programs, { isDurable: TICKETS > 100_000 })
})
afterAll(() => cluster?.stop())

/** Writes until it is stopped, and notes what happened to each write. */
function writeTickets(url: string, key: string) {
  const answers: { at: number; ms: number; status: number; id: string }[] = []
  const running = new Set<Promise<void>>()
  async function write(): Promise<void> {
    const at = performance.now()
    const answer = await fetch(`${url}/v1/tickets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(ticketInput()),
    }).catch(() => undefined)
    const body: { id?: string } = await answer?.json().catch(() => ({}))
    answers.push({ at, ms: performance.now() - at, status: answer?.status ?? 0, id: body?.id ?? '' })
  }
  const timer = setInterval(() => {
    for (let number = 0; number < (WRITES_PER_SECOND * WRITE_EVERY_MS) / 1_000; number += 1) {
      const writing = write().finally(() => running.delete(writing))
      running.add(writing)
    }
  }, WRITE_EVERY_MS)
  return {
    answers,
    async stop() {
      clearInterval(timer)
      await Promise.all(running)
    },
  }
}

test.if(programs !== undefined)(
  `${TICKETS} tickets move to PostgreSQL while ${WRITES_PER_SECOND} a second are created; nothing is lost, and the server is held for less than five seconds`,
  async () => {
    await using bellhop = await startSeparateBellhop()
    const { dataFolder } = bellhop.deps.config
    const client = await (await bellhop.organization()).withKey({ rateLimit: 1_000_000 })
    for (let made = 0; made < TICKETS; made += TICKETS_AT_ONCE) {
      await makeManyTickets(bellhop.deps, client.orgId, TICKETS_AT_ONCE, (number) =>
        number % 3 === 0 ? ['billing', `topic ${number % 20}`] : [],
      )
    }
    const url = await createEmptyDatabase(cluster.address)
    const writing = writeTickets(bellhop.url, client.key)
    await Bun.sleep(1_000)
    const startedAt = performance.now()
    const moved = await runProgram({ BELLHOP_DATA: dataFolder }, ['move', '--to', url])
    const endedAt = performance.now()
    expect([moved.code, moved.out]).toEqual([0, expect.stringContaining('All are equal.')])
    await Bun.sleep(1_000)
    await writing.stop()

    const stored = writing.answers.filter(({ status }) => status === 201)
    expect([...new Set(writing.answers.map(({ status }) => status))].sort()).toEqual([201, 503])
    const lastStored = Math.max(...stored.map(({ at, ms }) => at + ms))
    const heldMs = endedAt - lastStored
    const slowest = Math.max(...stored.map(({ ms }) => ms))
    console.info(
      `${TICKETS} tickets in ${Math.round((endedAt - startedAt) / 1_000)} s; last change stored ${Math.round(heldMs)} ms before the end; the slowest took ${Math.round(slowest)} ms. ${moved.out}`,
    )
    expect(heldMs).toBeLessThan(MAX_HELD_MS)
    await bellhop.end('SIGTERM')
    expect(await contentsOfPostgres(url)).toEqual(await contentsOfFile(dataFolder))
    await using server = await startProgram({ BELLHOP_DATA: dataFolder, DATABASE_URL: url })
    for (const { id } of stored.slice(-50)) {
      const answer = await fetch(`${server.url}/v1/tickets/${id}`, {
        headers: { authorization: `Bearer ${client.key}` },
      })
      expect(answer.status).toBe(200)
    }
  },
  3_600_000,
)

test.if(programs !== undefined)(
  'a move that was killed leaves the server as it was, and the next one moves everything',
  async () => {
    await using bellhop = await startSeparateBellhop()
    const { dataFolder } = bellhop.deps.config
    const client = await (await bellhop.organization()).withKey({ rateLimit: 1_000_000 })
    await makeManyTickets(bellhop.deps, client.orgId, TICKETS_AT_ONCE)
    const url = await createEmptyDatabase(cluster.address)
    const writing = writeTickets(bellhop.url, client.key)
    for (const [number, step] of [...STEPS, ...STEPS.slice(-2)].entries()) {
      const child = Bun.spawn([...PROGRAM, 'move', '--to', url], {
        env: { BELLHOP_DATA: dataFolder },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      let said = ''
      for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
        said += text
        if (!said.includes(step)) continue
        await Bun.sleep((number % 2) * Math.random() * MAX_LATER_MS)
        child.kill('SIGKILL')
        break
      }
      await child.exited
      if (child.exitCode === 0) throw new Error(`The move ended before it was killed: ${step}`)
      expect((await client.call('POST', '/tickets', { body: ticketInput() })).status).toBe(201)
    }
    const examined = await runProgram({ BELLHOP_DATA: dataFolder }, ['doctor', '--json'])
    expect(examined.out).toContain('A move to PostgreSQL notes every change')
    expect(await runProgram({ BELLHOP_DATA: dataFolder }, ['move', '--to', url])).toMatchObject({ code: 0 })
    await writing.stop()
    expect([...new Set(writing.answers.map(({ status }) => status))].sort()).toEqual([201, 503])
    await bellhop.end('SIGTERM')
    expect(await contentsOfPostgres(url)).toEqual(await contentsOfFile(dataFolder))
  },
  300_000,
)

test.if(programs !== undefined)(
  'a move back that was killed leaves everything in one of the two places, and the next one completes it',
  async () => {
    await using bellhop = await startSeparateBellhop()
    const { dataFolder } = bellhop.deps.config
    const client = await bellhop.organization()
    await makeManyTickets(bellhop.deps, client.orgId, TICKETS_AT_ONCE)
    const url = await createEmptyDatabase(cluster.address)
    expect(await runProgram({ BELLHOP_DATA: dataFolder }, ['move', '--to', url])).toMatchObject({ code: 0 })
    await bellhop.end('SIGTERM')
    const before = await contentsOfPostgres(url)
    const place = { BELLHOP_DATA: join(temporaryFolder('data'), 'new'), DATABASE_URL: url, BELLHOP_SECRET }
    const file = join(place.BELLHOP_DATA, 'bellhop.db')
    const moments = [
      () => existsSync(join(place.BELLHOP_DATA, 'backup.partial', 'bellhop.db')),
      () => existsSync(join(place.BELLHOP_DATA, 'backup.partial', 'bellhop.db')),
      () => existsSync(file),
      () => existsSync(file),
    ]
    for (const [number, hasCome] of moments.entries()) {
      const child = Bun.spawn([...PROGRAM, 'move', '--back'], {
        env: place,
        stdio: ['ignore', 'ignore', 'ignore'],
      })
      while (child.exitCode === null && !hasCome()) await Bun.sleep(1)
      await Bun.sleep((number % 2) * Math.random() * MAX_LATER_MS)
      child.kill('SIGKILL')
      await child.exited
      if (child.exitCode === 0) break
    }
    const { DATABASE_URL: _, ...embedded } = place
    const last = await runProgram(place, ['move', '--back'])
    // Nothing was left to do when the last one had ended before it was killed.
    if (last.code !== 0) expect(last.err).toContain('There is a database at')
    expect(await contentsOfFile(place.BELLHOP_DATA)).toEqual(before)
    expect(await runProgram(embedded, ['org', 'list'])).toMatchObject({ code: 0 })
    expect(await runProgram(place, ['org', 'list'])).toMatchObject({ code: 1 })
  },
  300_000,
)
