import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dir, '..')
const NOTICE_FILE = /^(?:licen[cs]e|copying|notice|ofl)(?:[.-].*)?$/i

/** A package whose code may be in the program. */
export interface BundledPackage {
  name: string
  version: string
  /** SPDX expression, as the package says. */
  license: string
  /** SHA-512 of the published package, in base64. */
  sha512: string
  /** Texts of its license and notices, each once. */
  notices: string[]
}

interface Lock {
  workspaces: { '': { dependencies: Record<string, string> } }
  packages: Record<string, [id: string, registry: string, facts: Needs, integrity: string]>
}

interface Needs {
  dependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  optionalPeers?: string[]
}

/** The dependencies in bun.lock, and theirs, sorted by name. Not those for development. */
export function bundledPackages(): BundledPackage[] {
  const lock = Bun.JSONC.parse(readFileSync(join(ROOT, 'bun.lock'), 'utf8')) as Lock
  const keys = new Set<string>()
  for (const name of Object.keys(lock.workspaces[''].dependencies)) addWithNeeds(lock, name, keys)
  const found = [...keys].map((key) => read(lock, key))
  const unique = new Map(found.map((one) => [`${one.name}@${one.version}`, one]))
  return [...unique.values()].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
}

function idOf({ name, version }: BundledPackage): string {
  return `${name}@${version}`
}

/** A key is a path such as `a/b`: the package `b` that only `a` uses. */
function addWithNeeds(lock: Lock, key: string, keys: Set<string>): void {
  const entry = lock.packages[key]
  if (keys.has(key) || !entry) return
  keys.add(key)
  const { dependencies = {}, peerDependencies = {}, optionalPeers = [] } = entry[2]
  const peers = Object.keys(peerDependencies).filter((name) => !optionalPeers.includes(name))
  for (const name of [...Object.keys(dependencies), ...peers])
    addWithNeeds(lock, resolve(lock, key, name), keys)
}

/** The nearest package of this name, as Node.js looks for it. */
function resolve(lock: Lock, key: string, name: string): string {
  for (let parent = key; parent; parent = parent.slice(0, Math.max(parent.lastIndexOf('/'), 0))) {
    if (lock.packages[`${parent}/${name}`]) return `${parent}/${name}`
  }
  return name
}

function read(lock: Lock, key: string): BundledPackage {
  const [id = '', , , integrity = ''] = lock.packages[key] ?? []
  const at = id.lastIndexOf('@')
  const folder = folderOf(id.slice(0, at), key)
  const { license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return {
    name: id.slice(0, at),
    version: id.slice(at + 1),
    license: typeof license === 'string' ? license : 'NOASSERTION',
    sha512: integrity.replace(/^sha512-/, ''),
    notices: [...new Set(noticeFiles(folder).map((file) => readFileSync(file, 'utf8').trim()))],
  }
}

function folderOf(name: string, key: string): string {
  const parent = key.slice(0, -name.length - 1)
  const nested = join(ROOT, 'node_modules', parent, 'node_modules', name)
  return parent && existsSync(nested) ? nested : join(ROOT, 'node_modules', name)
}

function noticeFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && NOTICE_FILE.test(entry.name))
    .map(({ name }) => join(folder, name))
    .sort()
}
