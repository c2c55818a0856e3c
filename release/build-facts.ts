import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundledPackages } from './packages.ts'

const ROOT = join(import.meta.dir, '..')
const RULE = '-'.repeat(80)

// Import these as macros: they run when the program is built, and their result becomes part of it.

/** The commit that is checked out, or an empty string without a Git repository. */
export function gitCommit(): string {
  const git = join(ROOT, '.git')
  try {
    const head = readFileSync(join(git, 'HEAD'), 'utf8').trim()
    return head.startsWith('ref: ') ? commitOf(git, head.slice('ref: '.length)) : head
  } catch {
    return ''
  }
}

function commitOf(git: string, ref: string): string {
  try {
    return readFileSync(join(git, ref), 'utf8').trim()
  } catch {
    const packed = readFileSync(join(git, 'packed-refs'), 'utf8').split('\n')
    return packed.find((line) => line.endsWith(` ${ref}`))?.split(' ')[0] ?? ''
  }
}

/** The licenses of Bellhop, of the Bun runtime, and of every package. */
export function licenseTexts(): string {
  const own = readFileSync(join(ROOT, 'LICENSE'), 'utf8').trim()
  const bun = readFileSync(join(ROOT, 'node_modules/bun-types/docs/project/license.mdx'), 'utf8')
  const packages = bundledPackages().map(({ name, version, license, notices }) =>
    [`${name} ${version} (${license})`, ...notices].join('\n\n'),
  )
  const runtime = `Bun ${Bun.version}, the runtime\n\n${bun.replace(/^---.*?---\s*/s, '').trim()}`
  return ['Bellhop', own, RULE, [runtime, ...packages].join(`\n\n${RULE}\n\n`)].join('\n\n')
}
