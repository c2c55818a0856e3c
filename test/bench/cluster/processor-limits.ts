import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Of cgroup v1: cgroup v2 lets no group of a container have both processes and groups below it. */
const ROOT = '/sys/fs/cgroup/cpu'
/** Short, so that a process that has used its part stands still for milliseconds, and not for a tenth of a second. */
const PERIOD_US = 20_000
const NO_LIMIT = '-1'
const REMOVE_TRIES = 100
const REMOVE_EVERY_MS = 20

/** How much of the processor processes get. Dispose of it after they have ended. */
export interface ProcessorLimits extends AsyncDisposable {
  /** Limits the processes together, and all that they start from now on. Returns whether this machine allows it. */
  limit(pids: number[], cores: number): boolean
  /** Everything runs without limits again. */
  lift(): void
}

export function createProcessorLimits(): ProcessorLimits {
  const groups: string[] = []

  return {
    limit(pids, cores) {
      const group = join(ROOT, `bellhop-bench-${process.pid}-${groups.length}`)
      try {
        mkdirSync(group)
        groups.push(group)
        writeFileSync(join(group, 'cpu.cfs_period_us'), String(PERIOD_US))
        writeFileSync(join(group, 'cpu.cfs_quota_us'), String(cores * PERIOD_US))
        for (const pid of pids) writeFileSync(join(group, 'cgroup.procs'), String(pid))
        return true
      } catch (error) {
        process.stderr.write(`The processor can't be limited: ${error}\n`)
        return false
      }
    },
    lift() {
      for (const group of groups) writeFileSync(join(group, 'cpu.cfs_quota_us'), NO_LIMIT)
    },
    async [Symbol.asyncDispose]() {
      for (const group of groups) await removeGroup(group)
    },
  }
}

/** The system still counts a process for a moment after it has ended. */
async function removeGroup(group: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return rmdirSync(group)
    } catch (error) {
      if (tries === REMOVE_TRIES) throw error
      await Bun.sleep(REMOVE_EVERY_MS)
    }
  }
}
