import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { embeddedPlace, exportFrom, fillTables, placeOf } from '../export/exports.ts'
import { type Bellhop, startBellhop } from '../support/bellhop.ts'
import { createManualClock } from '../support/clock.ts'
import { emptyPlace } from '../support/engine.ts'
import { temporaryFolder } from '../support/folder.ts'
import { makeFullOrganization } from '../support/full-organization.ts'
import { type Place, runProgram, startProgram } from '../support/program.ts'
import { makeTicket } from '../support/tickets.ts'
import { upload } from '../support/uploads.ts'

/** Backups have the lowest priority, so each may have to wait on a busy machine. */
const MAX_TEST_MS = 180_000

describe('a backup has everything', () => {
  const file = join(temporaryFolder(), 'bellhop.tar.zst')
  let bellhop: Bellhop
  let source: Place
  let orgIds: string[] = []
  let key = ''
  let fileId = ''
  /** Of the newest event in the backup. */
  let position: string

  beforeAll(async () => {
    // Nothing changes on its own while the clock doesn't move.
    bellhop = await startBellhop({ clock: createManualClock() })
    source = placeOf(bellhop.deps.config)
    const acme = await makeFullOrganization(bellhop)
    await fillTables(bellhop.deps, acme)
    const globex = await bellhop.organization('Globex')
    orgIds = [acme.client.orgId, globex.orgId]
    key = globex.key
    fileId = (await upload(globex, 'file.txt', 'Its bytes.')).id
    await makeTicket(globex, { attachments: [fileId] })
    const events = await globex.call<{ meta: { newest: string } }>('GET', '/events')
    position = events.json.meta.newest
    expect(await runProgram(source, ['backup', file])).toMatchObject({ code: 0 })
  }, MAX_TEST_MS)
  afterAll(() => bellhop.stop())

  const PLACES: [string, () => Promise<Place> | Place][] = [
    ['the embedded database', embeddedPlace],
    ['an empty database of the same engine', emptyPlace],
  ]
  test.each(PLACES)(
    'and restores it into %s, with the secrets and the search',
    async (_, place) => {
      const target = await place()
      expect(await runProgram(target, ['restore', file])).toMatchObject({ code: 0 })
      for (const org of orgIds) {
        const [there, here] = [await exportFrom(target, '--org', org), await exportFrom(source, '--org', org)]
        expect(there.hash, org).toBe(here.hash)
      }
      await using server = await startProgram(target)
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
      const body = JSON.stringify({
        subject: 'After',
        message: 'A new row',
        customer: { email: 'a@b.example' },
      })
      const created = await fetch(`${server.url}/v1/tickets`, { method: 'POST', headers, body })
      expect(created.status).toBe(201)
      const bytes = await fetch(`${server.url}/v1/attachments/${fileId}`, { headers })
      expect(await bytes.text()).toBe('Its bytes.')
      // What was committed after the backup is missing, so a reader of the events begins anew.
      const expired = await fetch(`${server.url}/v1/events?after=${position}`, { headers })
      expect([expired.status, (await expired.json()).code]).toEqual([410, 'events_expired'])
      expect(await server.end('SIGTERM')).toBe(0)
      expect(server.log()).not.toContain('"level":"error"')
    },
    MAX_TEST_MS,
  )

  test('and is never restored over other data', async () => {
    const refused = await runProgram({ ...source, BELLHOP_DATA: join(temporaryFolder(), 'data') }, [
      'restore',
      file,
    ])
    if (source.DATABASE_URL) expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('empty') })
    else expect(refused.code).toBe(0)
  })
})
