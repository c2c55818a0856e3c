import { afterAll } from 'bun:test'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unzipSync } from 'fflate'
import { version } from '../../package.json' with { type: 'json' }
import { testWith } from '../docs/runtimes.ts'
import { findGo } from '../programs/go.ts'
import { emptyProject, programOf, run } from './project.ts'
import { openWorld, type Program, play, SCENARIOS } from './scenarios.ts'

// The Go client as people install it: unpacked beside an empty module.

const world = await openWorld()
afterAll(() => world[Symbol.asyncDispose]())
const MODULE = 'bellhop.example/client'
const SETTINGS = { CGO_ENABLED: '0', GOFLAGS: '-mod=mod', GOPROXY: 'off', GOTOOLCHAIN: 'local' }
const MAX_BUILD_MS = 120_000
const GO = findGo() ?? 'go 1.23'

let installed: Promise<Program> | undefined
async function install(): Promise<Program> {
  const { folder, file } = await emptyProject('.zip')
  const place = `${MODULE}@v${version}`
  for (const [name, bytes] of Object.entries(unzipSync(await Bun.file(file).bytes()))) {
    await Bun.write(join(folder, name), bytes)
  }
  copyFileSync(join(import.meta.dir, 'programs/scenarios.go'), join(folder, 'main.go'))
  writeFileSync(join(folder, 'go.mod'), 'module example.com/project\n\ngo 1.23\n')
  const edit = [GO, 'mod', 'edit', '-require', place, '-replace', `${MODULE}=./${place}`]
  await run(folder, edit, SETTINGS)
  await run(folder, [GO, 'vet', '.'], SETTINGS)
  await run(folder, [GO, 'build', '-o', 'program', '.'], SETTINGS)
  return programOf(folder, ['./program'])
}

for (const scenario of SCENARIOS) {
  testWith(
    [GO],
    scenario[1],
    async () => {
      installed ??= install()
      await play(world, await installed, scenario)
    },
    MAX_BUILD_MS,
  )
}
