import { expect, test } from 'bun:test'
import { addAgents, seeded, workOnce } from './random-work.ts'
import { openDesk } from './storage.ts'
import { brokenPieces, countersAndRecount, tagsOutOfStep } from './whole.ts'

const OPERATIONS = 400

test('counters say what counting the tickets would, whatever was done to them', async () => {
  const seed = Date.now() % 1_000_000
  const random = seeded(seed)
  await using desk = await openDesk()
  await addAgents(desk.deps)
  const tickets: string[] = []
  for (let number = 0; number < OPERATIONS; number += 1) await workOnce(desk.deps, random, tickets)
  const { kept, counted } = await countersAndRecount(desk.place)
  expect(kept, `seed ${seed}`).toEqual(counted)
  expect(Object.keys(counted).length).toBeGreaterThan(15)
  expect(await tagsOutOfStep(desk.place)).toEqual([])
  expect(await brokenPieces(desk.place)).toEqual([])
})
