import { afterAll, expect, test } from 'bun:test'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testWith } from '../docs/runtimes.ts'
import { emptyProject, programOf, run } from './project.ts'
import { openWorld, type Program, play, SCENARIOS } from './scenarios.ts'

// The TypeScript client as people install it: from its file, into an empty project, compiled by TypeScript, run by Node.

const world = await openWorld()
afterAll(() => world[Symbol.asyncDispose]())
const MODULES = join(import.meta.dir, '../../node_modules')
const OPTIONS = ['--module', 'NodeNext', '--target', 'ES2024', '--strict', '--outDir', 'out']

let installed: Promise<Program> | undefined
async function install(): Promise<Program> {
  const { folder, file } = await emptyProject('.tgz')
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  await run(folder, ['npm', 'install', '--offline', '--no-audit', '--no-fund', file])
  copyFileSync(join(import.meta.dir, 'programs/scenarios.ts'), join(folder, 'scenarios.ts'))
  const types = ['--typeRoots', join(MODULES, '@types'), '--types', join(MODULES, 'bun-types')]
  await run(folder, [
    process.execPath,
    join(MODULES, 'typescript/bin/tsc'),
    ...OPTIONS,
    ...types,
    'scenarios.ts',
  ])
  return programOf(folder, ['node', 'out/scenarios.js'])
}

for (const scenario of SCENARIOS) {
  testWith(['node', 'npm'], scenario[1], async () => {
    installed ??= install()
    await play(world, await installed, scenario)
  })
}

test('the same files make the same package', async () => {
  const [one, other] = [await emptyProject('.tgz'), await emptyProject('.tgz')]
  expect(await Bun.file(one.file).bytes()).toEqual(await Bun.file(other.file).bytes())
})
