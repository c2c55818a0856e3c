import { join } from 'node:path'

/** The first version with iterators, which the client in Go has. */
const MIN_MINOR = 23

/** A Go that compiles the client: of this machine, or from PyPI. */
export function findGo(): string | undefined {
  return ['go', join(import.meta.dir, 'python/bin/go')].find(isNewEnough)
}

function isNewEnough(program: string): boolean {
  if (!Bun.which(program)) return false
  const { stdout } = Bun.spawnSync([program, 'env', 'GOVERSION'], {
    env: { ...process.env, GOTOOLCHAIN: 'local' },
  })
  const [, minor] = /^go1\.(\d+)/.exec(stdout.toString()) ?? []
  return Number(minor) >= MIN_MINOR
}
