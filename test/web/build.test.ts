import { expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'

/** A warning of Solid's development build, which keeps what has left the page in memory. */
const DEVELOPMENT = 'multiple instances of Solid'
const BUILD = join(import.meta.dir, '../../web/build.ts')
/** Of pages that are built fast: how they are built is that of ours. */
const config = join(import.meta.dir, 'small-pages/vite.config.ts')
const dist = temporaryFolder('dist')

test('of several that want the pages at once one builds them, also after one that was killed', async () => {
  // A process that has ended, and half of what it was making.
  const ended = Bun.spawn(['true'])
  await ended.exited
  writeFileSync(join(dist, 'web.lock'), String(ended.pid))
  writeFileSync(join(dist, 'web.new'), '')

  const answers = await Promise.all([build(), build(), build()])
  expect(answers.sort()).toEqual(['false', 'false', 'true'])
  expect(readdirSync(dist)).toEqual(['web'])
  expect(existsSync(join(dist, 'web/index.html'))).toBe(true)
}, 60_000)

test('the pages are those for production, although they were built for tests', () => {
  expect(process.env.NODE_ENV).toBe('test')
  const assets = join(dist, 'web/assets')
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
  expect(scripts).not.toBeEmpty()
  expect(scripts.filter((name) => readFileSync(join(assets, name), 'utf8').includes(DEVELOPMENT))).toEqual([])
})

async function build(): Promise<string> {
  const script = `import { buildWeb } from ${JSON.stringify(BUILD)}
process.stdout.write(String(await buildWeb(${JSON.stringify({ dist, config })})))`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  return new Response(child.stdout).text()
}
