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

export function removeTemporaryFolders(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
  made.clear()
}
