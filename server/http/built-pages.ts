import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { Encoding } from '../responses/encodings.ts'

/** The compiled program contains the folder, because of `--asset=dist/web`. From source, it is where it was built. */
const FOLDER =
  Bun.embeddedFiles.length > 0 ? join(import.meta.dir, 'web') : join(import.meta.dir, '../../dist/web')
const INDEX = join(FOLDER, 'index.html')
const ASSETS = join(FOLDER, 'assets')
const WIDGET = join(FOLDER, 'widget')
/** Files of the release before that these pages don't have: pages opened before an upgrade load them later. */
const PREVIOUS = join(FOLDER, 'previous')
const WIDGET_SCRIPT = 'widget.js'
const WORKER = 'sw.js'

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
}

const ENDINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

type Bytes = Uint8Array<ArrayBuffer>

/** A file whose name changes with its content. */
export interface Asset {
  type: string
  plain: Bytes
  /** Created by the build, the smallest first. Without those that wouldn't be smaller. */
  encoded: Map<Encoding, Bytes>
}

export interface BuiltPages {
  index: string
  assets: Map<string, Asset>
  /** The service worker, which shows pushes. */
  worker: Asset
  /** The script of the website widget, and the files that it loads. */
  widget: { script: Asset; etag: string; assets: Map<string, Asset> }
}

let pages: BuiltPages | undefined

/**
 * The pages that `bun run web` built, or undefined if it wasn't run. The first request reads all files, which takes a
 * few milliseconds, and keeps them, so that a new build doesn't mix old and new files.
 */
export function builtPages(): BuiltPages | undefined {
  if (!pages && arePagesBuilt()) pages = readPages()
  return pages
}

/** Checks without reading the files. */
export function arePagesBuilt(): boolean {
  return existsSync(INDEX)
}

function readPages(): BuiltPages {
  const script = readFolder(WIDGET).get(WIDGET_SCRIPT)
  if (!script)
    throw new Error(`${join(WIDGET, WIDGET_SCRIPT)} is missing. Run bun run web in the source folder.`)
  const worker = readFolder(FOLDER).get(WORKER)
  if (!worker) throw new Error(`${join(FOLDER, WORKER)} is missing. Run bun run web in the source folder.`)
  return {
    worker,
    index: readFileSync(INDEX, 'utf8'),
    assets: withPrevious(readFolder(ASSETS), 'assets'),
    widget: {
      script,
      etag: etagOf(script.plain),
      assets: withPrevious(readFolder(join(WIDGET, 'assets')), 'widget/assets'),
    },
  }
}

/** Own ones are first. */
function withPrevious(own: Map<string, Asset>, path: string): Map<string, Asset> {
  const folder = join(PREVIOUS, path)
  return existsSync(folder) ? new Map([...own, ...readFolder(folder)]) : own
}

function readFolder(folder: string): Map<string, Asset> {
  const names = new Set(readdirSync(folder))
  const assets = new Map<string, Asset>()
  for (const name of names) {
    const type = TYPES[extname(name)]
    if (!type) continue
    const encoded = new Map<Encoding, Bytes>()
    for (const [encoding, ending] of ENDINGS) {
      if (names.has(name + ending)) encoded.set(encoding, read(join(folder, name + ending)))
    }
    assets.set(name, { type, plain: read(join(folder, name)), encoded })
  }
  return assets
}

function etagOf(bytes: Bytes): string {
  return `"${new Bun.CryptoHasher('sha256').update(bytes).digest('base64url')}"`
}

function read(file: string): Bytes {
  return new Uint8Array(readFileSync(file))
}
