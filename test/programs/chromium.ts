import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

export interface Chromium {
  path: string
  /** What it needs in its environment. */
  env: Record<string, string>
}

/** The headless shell is Chromium without its windows: the tests take two thirds of the time in it. */
const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
const PACKAGE = join(import.meta.dir, 'node_modules/@sparticuz/chromium')
/** In the folder of the package, so that another version of it is unpacked again. */
const UNPACKED = join(PACKAGE, 'unpacked')
/** Libraries that a bare machine lacks, and a font, which Chromium does not start without. */
const ARCHIVES = ['al2023', 'fonts']

/** The Chromium of the machine, or else the one that `unpackChromium` has unpacked. */
export function findChromium(): Chromium | undefined {
  const path = NAMES.map((name) => Bun.which(name)).find((found) => found !== null)
  if (path) return { path, env: {} }
  if (!existsSync(UNPACKED)) return undefined
  const libraries = join(UNPACKED, 'al2023/lib')
  return {
    path: join(UNPACKED, 'chromium'),
    env: { LD_LIBRARY_PATH: libraries, FONTCONFIG_FILE: join(UNPACKED, 'fonts.conf') },
  }
}

/** Unpacks the Chromium of the npm package, which is one for Linux on x64. */
export async function unpackChromium(): Promise<void> {
  if (existsSync(UNPACKED) || process.platform !== 'linux' || process.arch !== 'x64') return
  const fresh = `${UNPACKED}.new`
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh)
  for (const name of ARCHIVES) {
    await new Bun.Archive(inflated(`${name}.tar`)).extract(join(fresh, name))
  }
  writeFileSync(join(fresh, 'chromium'), inflated('chromium'))
  chmodSync(join(fresh, 'chromium'), 0o755)
  writeFileSync(join(fresh, 'fonts.conf'), fontSettings(join(UNPACKED, 'fonts')))
  renameSync(fresh, UNPACKED)
}

function inflated(name: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(brotliDecompressSync(readFileSync(join(PACKAGE, `bin/${name}.br`))))
}

function fontSettings(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}</dir>
  <cachedir>${folder}</cachedir>
</fontconfig>
`
}
