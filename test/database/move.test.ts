import { beforeAll, describe, expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { fillTables } from '../export/exports.ts'
import { call, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { emptyPlace } from '../support/engine.ts'
import { type FullOrganization, makeFullOrganization } from '../support/full-organization.ts'
import { type Finished, type Place, runProgram, startProgram } from '../support/program.ts'
import { contentsOfFile, contentsOfPostgres } from '../support/table-contents.ts'
import { ticketInput } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'
import { seenElsewhere } from './storage.ts'

/** Of a command that refuses. */
const refusal = (sentence: string): Finished => ({ code: 1, out: '', err: `${sentence}\n` })

describe.if(engine === 'postgresql')('an organization with rows in every table', () => {
  let dataFolder = ''
  let first = ''
  let second = ''
  let acme: FullOrganization

  const onPostgres = (url: string): Place => ({ BELLHOP_DATA: dataFolder, DATABASE_URL: url })
  const embedded = (): Place => ({ BELLHOP_DATA: dataFolder, BELLHOP_LOG: 'error' })

  beforeAll(async () => {
    const bellhop = await startBellhop({ clock: createManualClock() })
    acme = await makeFullOrganization(bellhop)
    await fillTables(bellhop.deps, acme)
    dataFolder = bellhop.deps.config.dataFolder
    first = bellhop.deps.config.databaseUrl ?? ''
    second = (await emptyPlace()).DATABASE_URL ?? ''
    await bellhop.stop()
  })

  test('moves from PostgreSQL to the data folder, and no server starts on the old database', async () => {
    const before = await contentsOfPostgres(first)
    expect(Object.values(before).filter(({ rows }) => rows > 0).length).toBeGreaterThan(50)
    expect(await runProgram(onPostgres(first), ['move', '--back'])).toMatchObject({ code: 0 })
    expect(await contentsOfFile(dataFolder)).toEqual(before)
    expect(await contentsOfPostgres(first)).toEqual(before)
    const moved =
      'The data was moved to the embedded database of a data folder, and this copy is out of date. Leave DATABASE_URL empty, and set BELLHOP_DATA to that folder.'
    expect(await runProgram(onPostgres(first), ['serve'])).toEqual(refusal(moved))
  })

  test('moves to an empty PostgreSQL database while the server runs, which then refuses requests', async () => {
    await using server = await startProgram({ ...embedded(), BELLHOP_LOG: 'error' })
    const request = (method: string, body?: object) =>
      call(method, `${server.url}/v1/tickets`, {
        headers: { authorization: `Bearer ${acme.client.key}` },
        ...(body && { body }),
      })
    expect((await request('POST', ticketInput())).status).toBe(201)
    expect(await runProgram(embedded(), ['move', '--to', second])).toMatchObject({ code: 0 })
    const refused = await request('POST', ticketInput())
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    await eventually(async () => (await request('GET')).status === 503)
    expect(await server.end('SIGTERM')).toBe(0)
    expect(await contentsOfPostgres(second)).toEqual(await contentsOfFile(dataFolder))
    const moved =
      'The data was moved to PostgreSQL, and this copy is out of date. Set DATABASE_URL to the database that has it. To move back, run: bellhop move --back'
    expect(await runProgram(embedded(), ['serve'])).toEqual(refusal(moved))
  })

  test('goes on where it was, and moves back over the old file', async () => {
    {
      await using server = await startProgram({ ...onPostgres(second), BELLHOP_LOG: 'error' })
      const answer = await call('POST', `${server.url}/v1/tickets`, {
        headers: { authorization: `Bearer ${acme.client.key}` },
        body: ticketInput(),
      })
      expect(answer.status).toBe(201)
      expect(await runProgram(onPostgres(second), ['move', '--back'])).toMatchObject({ code: 1, out: '' })
      await server.end('SIGTERM')
    }
    const before = await contentsOfPostgres(second)
    expect(await runProgram(onPostgres(second), ['move', '--back'])).toMatchObject({ code: 0 })
    expect(await contentsOfFile(dataFolder)).toEqual(before)
  })

  test('moves over no data: neither over those of another database nor over those of a folder', async () => {
    const other = await emptyPlace()
    const admin = ['--org', 'Other', '--name', 'Ana', '--email', 'ana@other.example']
    expect(await runProgram(other, ['setup', ...admin])).toMatchObject({ code: 0 })
    const { DATABASE_URL: target = '' } = other
    const before = await contentsOfPostgres(target)
    expect(await runProgram(embedded(), ['move', '--to', target])).toEqual(
      refusal('The database has another installation. Choose an empty one.'),
    )
    expect(await runProgram(onPostgres(target), ['move', '--back'])).toEqual(
      refusal(`There is a database at ${dataFolder}/bellhop.db. Choose another folder with BELLHOP_DATA.`),
    )
    expect(await contentsOfPostgres(target)).toEqual(before)
    expect(await runProgram(embedded(), ['org', 'list'])).toMatchObject({ code: 0 })
  })

  test('moves to a database on which a server without an organization was once started', async () => {
    const { BELLHOP_DATA, DATABASE_URL = '' } = await emptyPlace()
    const place = { BELLHOP_DATA, DATABASE_URL }
    {
      await using server = await startProgram({ ...place, BELLHOP_LOG: 'error' })
      expect(await runProgram(embedded(), ['move', '--to', DATABASE_URL])).toEqual(
        refusal('A Bellhop server is using this database. Stop it first.'),
      )
      await server.end('SIGTERM')
    }
    // One that was killed.
    await seenElsewhere(
      place,
      "insert into nodes (id, version, settings, started_at, lease_until) values ('gone', '1.0.0', '{}', 1, 1)",
    )
    expect(await runProgram(embedded(), ['move', '--to', DATABASE_URL])).toMatchObject({ code: 0 })
    expect(await contentsOfPostgres(DATABASE_URL)).toEqual(await contentsOfFile(dataFolder))
    expect(await seenElsewhere(place, 'select id from nodes')).toEqual([])
  })
})
