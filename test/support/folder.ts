import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** In memory where possible: commits take microseconds there and milliseconds on a disk. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const made = new Set<string>()

/** Creates an empty folder. `removeTemporaryFolders` removes it after all tests. */
export function temporaryFolder(purpose = 'test', root = ROOT): string {
  const folder = mkdtempSync(join(root, `bellhop-${purpose}-`))
  made.add(folder)
  return folder
}

/** The same until the process ends, however it ends, and not only for a test file. */
export function folderOfProcess(purpose: string): string {
  const folder = mkdtempSync(join(ROOT, `bellhop-${purpose}-`))
  // A process that waits for the end of its input, because `bun test` ends without a word to its listeners.
  Bun.spawn(['sh', '-c', 'cat; rm -rf "$0"', folder], { stdio: ['pipe', 'ignore', 'ignore'] }).unref()
  return folder
}

/** Those that are still there. */
export function temporaryFolders(): string[] {
  return [...made]
}

export function removeTemporaryFolders(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
  made.clear()
}
