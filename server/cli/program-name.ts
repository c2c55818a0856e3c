import { realpathSync } from 'node:fs'
import { basename, isAbsolute, relative } from 'node:path'

/** What somebody types in this folder to start this program again: one file, Bun, or a Bun that npx has fetched. */
export function programName(): string {
  if (!/[/\\]server[/\\]main\.ts$/.test(Bun.main)) return fileName(process.execPath)
  const isFetched = /[/\\]_npx[/\\]/.test(process.execPath)
  return `${isFetched ? `npx --yes bun@${Bun.version}` : 'bun'} server/main.ts`
}

/** A file that is not on the PATH has to be named with its path. */
function fileName(file: string): string {
  const onPath = Bun.which(basename(file))
  if (onPath && realpathSync(onPath) === realpathSync(file)) return basename(file)
  const path = relative('.', file)
  return quoted(path.startsWith('..') || isAbsolute(path) ? file : `./${path}`)
}

function quoted(path: string): string {
  return /^[\w./\\:@+-]+$/.test(path) ? path : `"${path}"`
}
