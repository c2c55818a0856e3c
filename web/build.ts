import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const TOP = join(import.meta.dir, '..')
/** What the built pages come from, beside everything in `web`. */
const ALSO = ['bun.lock']
/** 11 would take twice as long for two percent. */
const BROTLI_QUALITY = 10
const MOST_WAIT_MS = 120_000
const PAUSE_MS = 50

if (import.meta.main) {
  const startedAt = performance.now()
  try {
    const isNew = await buildWeb({ isForced: process.argv.includes('--force') })
    if (isNew) process.stdout.write(`Built the pages in ${Math.round(performance.now() - startedAt)} ms.\n`)
  } catch (error) {
    process.stderr.write(`The pages could not be built.\n${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
}

/**
 * Builds the pages into the folder `web` of `dist`, unless they are there and nothing they come from has changed; answers
 * whether it did. Of several processes one builds and the others wait for it. Whoever reads the folder finds the old
 * pages or the new ones, never half of either.
 */
export async function buildWeb({ isForced = false, dist = join(TOP, 'dist') } = {}): Promise<boolean> {
  const wanted = await fingerprint()
  const isDone = () => !isForced && isBuilt(dist, wanted)
  if (isDone()) return false
  mkdirSync(dist, { recursive: true })
  const release = await takeLock(join(dist, 'web.lock'))
  try {
    if (isDone()) return false
    await build(dist, wanted)
    return true
  } finally {
    release()
  }
}

async function fingerprint(): Promise<string> {
  const paths = await Array.fromAsync(new Bun.Glob('web/**/*').scan({ cwd: TOP }))
  const hash = new Bun.CryptoHasher('sha256')
  for (const path of [...paths.sort(), ...ALSO]) {
    hash.update(`${path}\0`).update(readFileSync(join(TOP, path)))
  }
  return hash.digest('hex')
}

function isBuilt(dist: string, wanted: string): boolean {
  const file = join(dist, 'web/built-from')
  return existsSync(file) && readFileSync(file, 'utf8') === wanted
}

async function build(dist: string, wanted: string): Promise<void> {
  // What a build that was cut off has left behind.
  for (const name of readdirSync(dist)) {
    if (/^web\.(?:new|old)$/.test(name)) rmSync(join(dist, name), { recursive: true })
  }
  const [built, fresh, old] = [join(dist, 'web'), join(dist, 'web.new'), join(dist, 'web.old')]
  await runVite(fresh)
  compress(join(fresh, 'assets'))
  writeFileSync(join(fresh, 'built-from'), wanted)
  if (existsSync(built)) renameSync(built, old)
  renameSync(fresh, built)
  rmSync(old, { recursive: true, force: true })
}

/**
 * In a process of its own: Vite builds pages for development where NODE_ENV is not `production` (`bun test` makes it
 * `test`), and those keep every ticket that was opened in memory.
 */
async function runVite(outDir: string): Promise<void> {
  const config = join(import.meta.dir, 'vite.config.ts')
  const options = ['--config', config, '--outDir', outDir, '--logLevel', 'error']
  const vite = Bun.spawn([process.execPath, '--bun', 'vite', 'build', ...options], {
    cwd: TOP,
    env: { ...process.env, NODE_ENV: 'production' },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [said, code] = await Promise.all([new Response(vite.stderr).text(), vite.exited])
  if (code !== 0) throw new Error(said)
}

/** Once here instead of at every start or every answer. Fonts are compressed already. */
function compress(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.endsWith('.woff2')) continue
    const plain = readFileSync(join(folder, name))
    const br = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
    const gz = gzipSync(plain, { level: 9 })
    if (br.length < plain.length) writeFileSync(join(folder, `${name}.br`), br)
    if (gz.length < plain.length) writeFileSync(join(folder, `${name}.gz`), gz)
  }
}

/** A lock names its process, so that one which was killed holds nobody up. Answers how it is released. */
async function takeLock(lock: string): Promise<() => void> {
  const giveUpAt = performance.now() + MOST_WAIT_MS
  while (!isTaken(lock)) {
    if (performance.now() > giveUpAt) throw new Error(`${lock} is held by another build.`)
    await Bun.sleep(PAUSE_MS)
  }
  return () => rmSync(lock, { force: true })
}

function isTaken(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' })
    return true
  } catch {
    if (existsSync(lock) && !isRunning(holderOf(lock))) rmSync(lock, { force: true })
    return false
  }
}

/** 0, this process's own group, while the holder is still writing its name or has just gone. */
function holderOf(lock: string): number {
  try {
    return Number(readFileSync(lock, 'utf8'))
  } catch {
    return 0
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
