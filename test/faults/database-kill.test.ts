import { expect, test } from 'bun:test'
import { engine } from '../../server/database/columns.ts'
import { ORG, openWorkspace, seenElsewhere } from '../database/storage.ts'
import { brokenPieces, countersAndRecount, tagsOutOfStep } from '../database/whole.ts'
import { freshPlace } from '../support/engine.ts'
import { killedLives } from '../support/killed-program.ts'

const KILLS = 8
const MAX_LIFE_MS = 150

test('every ticket that was acknowledged is there, whole, after the process is killed at any moment', async () => {
  const place = await freshPlace()
  const workspace = await openWorkspace(place)
  await workspace.deps.database.close()
  const acknowledged = new Set<string>()
  const lives = killedLives({
    program: `${import.meta.dir}/../database/programs/acknowledge.ts`,
    args: [ORG],
    env: { ...process.env, ...place },
    kills: KILLS,
    longestLifeMs: MAX_LIFE_MS,
  })
  for await (const ids of lives) for (const id of ids) acknowledged.add(id)
  expect(acknowledged.size).toBeGreaterThan(KILLS)

  const rows = await seenElsewhere(place, 'select id from tickets')
  const stored = new Set(rows.map((row) => String(row.id)))
  expect(acknowledged.difference(stored).size).toBe(0)
  expect(await brokenPieces(place)).toEqual([])
  expect(await tagsOutOfStep(place)).toEqual([])
  const { kept, counted } = await countersAndRecount(place)
  expect(kept).toEqual(counted)
  if (engine === 'sqlite') {
    expect(await seenElsewhere(place, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
    expect(await seenElsewhere(place, 'PRAGMA foreign_key_check')).toEqual([])
  }
})
