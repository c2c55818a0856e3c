import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const TOP = join(import.meta.dir, '..')
const DIST = join(TOP, 'dist')
const BUILT = join(DIST, 'web')
const LOCK = join(DIST, 'web.lock')
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
 * Builds the pages into `dist/web` unless they are there and nothing they come from has changed; answers whether it did.
 * Of several processes one builds and the others wait for it. Whoever reads the folder finds the old pages or the new
 * ones, never half of either.
 */
export async function buildWeb({ isForced = false } = {}): Promise<boolean> {
  const wanted = await fingerprint()
  if (!isForced && isBuilt(wanted)) return false
  mkdirSync(DIST, { recursive: true })
  await takeLock()
  try {
    if (!isForced && isBuilt(wanted)) return false
    await build(wanted)
    return true
  } finally {
    rmSync(LOCK, { force: true })
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

function isBuilt(wanted: string): boolean {
  const file = join(BUILT, 'built-from')
  return existsSync(file) && readFileSync(file, 'utf8') === wanted
}

async function build(wanted: string): Promise<void> {
  const vite = await import('vite')
  const fresh = join(DIST, `web.${process.pid}`)
  const old = `${fresh}.old`
  await vite.build({
    configFile: join(import.meta.dir, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: fresh },
  })
  compress(join(fresh, 'assets'))
  writeFileSync(join(fresh, 'built-from'), wanted)
  if (existsSync(BUILT)) renameSync(BUILT, old)
  renameSync(fresh, BUILT)
  rmSync(old, { recursive: true, force: true })
}

/** Once here instead of at every start or every answer. What does not get smaller is sent as it is. */
function compress(folder: string): void {
  for (const name of readdirSync(folder)) {
    const plain = readFileSync(join(folder, name))
    const br = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
    const gz = gzipSync(plain, { level: 9 })
    if (br.length < plain.length) writeFileSync(join(folder, `${name}.br`), br)
    if (gz.length < plain.length) writeFileSync(join(folder, `${name}.gz`), gz)
  }
}

/** A lock names its process, so that one which was killed holds nobody up. */
async function takeLock(): Promise<void> {
  const giveUpAt = performance.now() + MOST_WAIT_MS
  for (;;) {
    try {
      writeFileSync(LOCK, String(process.pid), { flag: 'wx' })
      return
    } catch {
      if (!isRunning(Number(readFileSync(LOCK, 'utf8')))) rmSync(LOCK, { force: true })
      else if (performance.now() > giveUpAt) throw new Error(`${LOCK} is held by another build.`)
      else await Bun.sleep(PAUSE_MS)
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
