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
  const killed = await holdLock()
  writeFileSync(join(dist, 'web.new'), 'half of what it was making')
  const builds = [build(), build(), build()]
  killed.kill('SIGKILL')
  const answers = await Promise.all(builds)
  expect(answers.sort()).toEqual(['false', 'false', 'true'])
  expect(readdirSync(dist).sort()).toEqual(['build.lock', 'web'])
  expect(existsSync(join(dist, 'web/index.html'))).toBe(true)
}, 60_000)

test('the pages are those for production, although they were built for tests', () => {
  expect(process.env.NODE_ENV).toBe('test')
  const assets = join(dist, 'web/assets')
  const scripts = readdirSync(assets).filter((name) => name.endsWith('.js'))
  expect(scripts).not.toBeEmpty()
  expect(scripts.filter((name) => readFileSync(join(assets, name), 'utf8').includes(DEVELOPMENT))).toEqual([])
})

/** A process that holds the lock, as while it builds. */
async function holdLock() {
  const script = `import { Database } from 'bun:sqlite'
new Database(${JSON.stringify(join(dist, 'build.lock'))}).exec('BEGIN EXCLUSIVE')
process.stdout.write('held')
setInterval(() => {}, 1_000)`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  await child.stdout.getReader().read()
  return child
}

async function build(): Promise<string> {
  const script = `import { buildWeb } from ${JSON.stringify(BUILD)}
process.stdout.write(String(await buildWeb(${JSON.stringify({ dist, config })})))`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  return new Response(child.stdout).text()
}
