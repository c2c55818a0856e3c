import { afterAll } from 'bun:test'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './folder.ts'

const DISK_MIB = 8
const BLOCK_BYTES = 4_096
const mounted: string[] = []

/**
 * Mounts a disk of eight megabytes in memory until the file's tests are over. Undefined where mounting is not permitted:
 * no package can change that, so in CI too the tests are skipped.
 */
export function mountSmallDisk(folder = temporaryFolder('disk')): string | undefined {
  mkdirSync(folder, { recursive: true })
  const size = `size=${DISK_MIB}m`
  const { exitCode } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', size, 'tmpfs', folder])
  if (exitCode === 0) {
    mounted.push(folder)
    if (mounted.length === 1) afterAll(unmount)
    return folder
  }
  console.warn('The tests of a full disk are skipped: mounting is not permitted here.')
  return undefined
}

function unmount(): void {
  for (const folder of mounted.splice(0)) Bun.spawnSync(['umount', '--lazy', folder])
}

/** Fills the disk of a folder. Returns a function that frees the space. */
export function fillUp(folder: string): () => void {
  const files: string[] = []
  for (let bytes = DISK_MIB * 2 ** 20; bytes >= BLOCK_BYTES; bytes /= 2) {
    const file = join(folder, `filling-${bytes}`)
    try {
      files.push(file)
      writeFileSync(file, Buffer.alloc(bytes))
    } catch (error) {
      if (!String(error).includes('ENOSPC')) throw error
    }
  }
  return () => {
    for (const file of files) rmSync(file, { force: true })
  }
}
