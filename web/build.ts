import { Database, SQLiteError } from 'bun:sqlite'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import { addPreviousPages } from '../release/previous-pages.ts'
import { checkWidgetSize } from './widget/check-size.ts'

const TOP = join(import.meta.dir, '..')
const CONFIG = join(import.meta.dir, 'vite.config.ts')
/** Inputs of the build, the server modules that the pages use among them (test/support/architecture-rules.ts). */
const INPUTS = ['web/**/*', 'server/{formatting,search}/*', 'server/dates.ts', 'bun.lock']
/** The archive of the pages of the last release. Without it, pages that are open during an upgrade may miss files. */
const { PREVIOUS_PAGES } = process.env
/** Level 11 takes twice as long and saves two percent. */
const BROTLI_QUALITY = 10
const MAX_WAIT_MS = 120_000
const PAUSE_MS = 50

if (import.meta.main) {
  const startedAt = performance.now()
  try {
    const isNew = await buildWeb({ isForced: process.argv.includes('--force') })
    if (isNew) process.stdout.write(`Built the pages in ${Math.round(performance.now() - startedAt)} ms.\n`)
  } catch (error) {
    process.stderr.write(`Couldn't build the pages.\n${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 1
  }
}

/**
 * Builds the pages into the folder `web` of `dist`, unless they are up to date. Returns whether it built them. If several
 * processes call it, one builds and the others wait. The folder has the old pages or the new ones, never a mixture.
 */
export async function buildWeb({
  isForced = false,
  dist = join(TOP, 'dist'),
  config = CONFIG,
} = {}): Promise<boolean> {
  const inputsHash = await fingerprint()
  const isDone = () => !isForced && isBuilt(dist, inputsHash)
  if (isDone()) return false
  mkdirSync(dist, { recursive: true })
  const release = await acquireLock(join(dist, 'build.lock'))
  try {
    if (isDone()) return false
    await build(dist, config, inputsHash)
    return true
  } finally {
    release()
  }
}

async function fingerprint(): Promise<string> {
  const found = INPUTS.map((pattern) => Array.fromAsync(new Bun.Glob(pattern).scan({ cwd: TOP })))
  const paths = (await Promise.all(found)).flat()
  const hash = new Bun.CryptoHasher('sha256')
  for (const path of paths.sort()) {
    hash.update(`${path}\0`).update(readFileSync(join(TOP, path)))
  }
  if (PREVIOUS_PAGES) hash.update(readFileSync(PREVIOUS_PAGES))
  return hash.digest('hex')
}

function isBuilt(dist: string, inputsHash: string): boolean {
  const file = join(dist, 'web/built-from')
  return existsSync(file) && readFileSync(file, 'utf8') === inputsHash
}

async function build(dist: string, config: string, inputsHash: string): Promise<void> {
  // Left over from an interrupted build.
  for (const name of readdirSync(dist)) {
    if (/^web\.(?:new|old)$/.test(name)) rmSync(join(dist, name), { recursive: true })
  }
  const [built, fresh, old] = [join(dist, 'web'), join(dist, 'web.new'), join(dist, 'web.old')]
  await run(['vite', 'build', '--config', config, '--logLevel', 'error', '--outDir', fresh])
  await run([join(import.meta.dir, 'widget/build-widget.ts'), join(fresh, 'widget')])
  for (const folder of ['', 'assets', 'widget', 'widget/assets']) compress(join(fresh, folder))
  checkWidgetSize(join(fresh, 'widget'))
  if (PREVIOUS_PAGES) await addPreviousPages(fresh, PREVIOUS_PAGES)
  writeFileSync(join(fresh, 'built-from'), inputsHash)
  if (existsSync(built)) renameSync(built, old)
  renameSync(fresh, built)
  rmSync(old, { recursive: true, force: true })
}

/**
 * Runs Vite in a separate process, because it needs NODE_ENV `production` (`bun test` sets `test`). Otherwise it builds
 * development pages, which keep every opened ticket in memory.
 */
async function run(command: string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, '--bun', ...command], {
    cwd: TOP,
    env: { ...process.env, NODE_ENV: 'production' },
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const [errors, code] = await Promise.all([new Response(child.stderr).text(), child.exited])
  if (code !== 0) throw new Error(errors)
}

/** Compresses the files once, instead of for each response. Fonts are compressed already. */
function compress(folder: string): void {
  for (const { name } of readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile())) {
    if (name.endsWith('.woff2')) continue
    const plain = readFileSync(join(folder, name))
    // Three percent smaller than by zlib.
    const gzip = Bun.gzipSync(new Uint8Array(plain), { library: 'libdeflate', level: 12 })
    const br = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } })
    if (br.length < plain.length) writeFileSync(join(folder, `${name}.br`), br)
    if (gzip.length < plain.length) writeFileSync(join(folder, `${name}.gz`), gzip)
  }
}

/** SQLite's lock ends with its process, so a killed build doesn't block others. Returns its release. */
async function acquireLock(lock: string): Promise<() => void> {
  const giveUpAt = performance.now() + MAX_WAIT_MS
  const connection = new Database(lock)
  while (!tryLock(connection)) {
    if (performance.now() > giveUpAt) throw new Error(`Another build has held ${lock} for two minutes.`)
    await Bun.sleep(PAUSE_MS)
  }
  return () => connection.close()
}

function tryLock(connection: Database): boolean {
  try {
    connection.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (error instanceof SQLiteError && error.code === 'SQLITE_BUSY') return false
    throw error
  }
}
