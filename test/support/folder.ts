import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Memory where there is any: a commit there costs microseconds, on a disk milliseconds. */
const ROOT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()
const made = new Set<string>()

/** A fresh empty folder; `removeTemporaryFolders` removes it when all tests have run. */
export function temporaryFolder(purpose = 'test', root = ROOT): string {
  const folder = mkdtempSync(join(root, `bellhop-${purpose}-`))
  made.add(folder)
  return folder
}

export function removeTemporaryFolders(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
  made.clear()
}
