import { afterAll } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { testWith } from '../docs/runtimes.ts'
import { emptyProject, programOf, run } from './project.ts'
import { openWorld, type Program, play, SCENARIOS } from './scenarios.ts'

// The Python client as people install it: from its wheel, into an empty environment.

const world = await openWorld()
afterAll(() => world[Symbol.asyncDispose]())

let installed: Promise<Program> | undefined
async function install(): Promise<Program> {
  const { folder, file } = await emptyProject('.whl')
  await run(folder, ['python3', '-m', 'venv', 'environment'])
  const pip = ['environment/bin/pip', 'install', '--quiet', '--disable-pip-version-check', '--no-index']
  await run(folder, [...pip, file])
  copyFileSync(join(import.meta.dir, 'programs/scenarios.py'), join(folder, 'scenarios.py'))
  return programOf(folder, ['environment/bin/python', 'scenarios.py'])
}

for (const scenario of SCENARIOS) {
  testWith(['python3'], scenario[1], async () => {
    installed ??= install()
    await play(world, await installed, scenario)
  })
}
