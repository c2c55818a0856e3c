import { expect, test } from 'bun:test'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'

const BUILD = join(import.meta.dir, '../../web/build.ts')

test('of several that want the pages at once one builds them, also after one that was killed', async () => {
  const dist = temporaryFolder('dist')
  // A process that has ended, and half of what it was making.
  const ended = Bun.spawn(['true'])
  await ended.exited
  writeFileSync(join(dist, 'web.lock'), String(ended.pid))
  writeFileSync(join(dist, 'web.new'), '')

  const answers = await Promise.all([build(dist), build(dist), build(dist)])
  expect(answers.sort()).toEqual(['false', 'false', 'true'])
  expect(readdirSync(dist)).toEqual(['web'])
  expect(existsSync(join(dist, 'web/index.html'))).toBe(true)
}, 60_000)

async function build(dist: string): Promise<string> {
  const script = `import { buildWeb } from ${JSON.stringify(BUILD)}
process.stdout.write(String(await buildWeb({ dist: ${JSON.stringify(dist)} })))`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  return new Response(child.stdout).text()
}
