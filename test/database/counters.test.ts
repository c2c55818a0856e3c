import { expect, test } from 'bun:test'
import { seeded } from '../support/random.ts'
import { addAgents, workOnce } from './random-work.ts'
import { openWorkspace } from './storage.ts'
import { brokenPieces, countersAndRecount, tagsOutOfStep } from './whole.ts'

const OPERATIONS = 400

test('counters say what counting the tickets would, whatever was done to them', async () => {
  const seed = 1_123
  const random = seeded(seed)
  await using workspace = await openWorkspace()
  await addAgents(workspace.deps)
  const tickets: string[] = []
  for (let number = 0; number < OPERATIONS; number += 1) await workOnce(workspace.deps, random, tickets)
  const { kept, counted } = await countersAndRecount(workspace.place)
  expect(kept, `seed ${seed}`).toEqual(counted)
  expect(Object.keys(counted).length).toBeGreaterThan(15)
  expect(await tagsOutOfStep(workspace.place)).toEqual([])
  expect(await brokenPieces(workspace.place)).toEqual([])
})
