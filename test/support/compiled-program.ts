import { expect } from 'bun:test'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { COMPILED } from './program.ts'
import { requireBuiltWeb } from './web.ts'

const ROOT = join(import.meta.dir, '../..')

/** Puts the compiled program into a folder, as a download is. The suite has compiled it; otherwise it is compiled here. */
export async function placeProgram(folder: string): Promise<string[]> {
  const file = join(folder, 'bellhop')
  if (COMPILED) copyFileSync(COMPILED, file)
  else await build(file)
  return [file]
}

/** Runs the command of `bun run build` with another output file. */
async function build(file: string): Promise<void> {
  const { scripts } = await Bun.file(join(ROOT, 'package.json')).json()
  await requireBuiltWeb()
  const [, bundle = ''] = String(scripts.build).split(' && bun ')
  const args = bundle.replace('dist/bellhop', file).split(' ')
  const child = Bun.spawn([process.execPath, ...args], { cwd: ROOT, stdout: 'ignore', stderr: 'pipe' })
  const [err, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  expect([code, code === 0 ? '' : err]).toEqual([0, ''])
}
