import { release, totalmem } from 'node:os'
import { descriptorLimit } from '../machine/descriptor-limit.ts'
import { type Finding, findingsOf, type Installation } from './finding.ts'

const { ok, warning } = findingsOf('machine')

/** This version is newer, so a clock that shows less is wrong. Milliseconds since 1970. */
const EARLIEST = Date.UTC(2026, 10, 1)
/** Each visitor and each open inbox takes one. */
const FEW_DESCRIPTORS = 1_024
const MIB = 1024 * 1024
/** The server takes 80 MiB at rest, and more with many messages at once. */
const LITTLE_MEMORY_BYTES = 256 * MIB

/** Of Linux, for Bun. */
const OLDEST_KERNEL = '5.1'

interface MachineFault {
  check: 'clock' | 'machine'
  /** One sentence. */
  detail: string
  /** What to do, in another one. */
  advice: string
}

/** Checks descriptors, memory, and the kernel. `pid` is the server's process, if it is another one. */
export async function checkMachine({ now }: Pick<Installation, 'now'>, pid?: number): Promise<Finding[]> {
  const faults = machineFaults(now, pid).filter(({ check }) => check === 'machine')
  if (faults.length > 0) return faults.map(({ detail, advice }) => warning(detail, advice))
  return [ok(`File and memory limits are sufficient (${process.platform} ${release()}).`)]
}

/**
 * Faults of this machine that the server can run with. `now` is in milliseconds since 1970; `pid` is the process whose
 * limits count.
 */
export function machineFaults(now: number, pid?: number): MachineFault[] {
  const faults: MachineFault[] = []
  if (now < EARLIEST) {
    faults.push({
      check: 'clock',
      detail: `The clock of this machine says ${new Date(now).toISOString()}, which is in the past.`,
      advice: 'Set it, or times, sign-ins, and certificates will be wrong.',
    })
  }
  const descriptors = descriptorLimit(pid)
  if (descriptors !== undefined && descriptors < FEW_DESCRIPTORS) {
    faults.push({
      check: 'machine',
      detail: `This process may open only ${descriptors} files and connections.`,
      advice: 'Raise the limit to 4096 or more: ulimit -Hn, or LimitNOFILE= in systemd.',
    })
  }
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  if (memory < LITTLE_MEMORY_BYTES) {
    faults.push({
      check: 'machine',
      detail: `Bellhop may use only ${Math.floor(memory / MIB)} MiB of memory.`,
      advice: 'Give it 256 MiB or more.',
    })
  }
  if (process.platform === 'linux' && isOlder(release(), OLDEST_KERNEL)) {
    faults.push({
      check: 'machine',
      detail: `The Linux kernel ${release()} is older than ${OLDEST_KERNEL}.`,
      advice: 'Upgrade the operating system, or Bellhop may end unexpectedly.',
    })
  }
  return faults
}

/** Compares `6.1.0-13-amd64` by its first two numbers. */
function isOlder(version: string, oldest: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number.parseFloat)
  const [oldestMajor = 0, oldestMinor = 0] = oldest.split('.').map(Number)
  return major < oldestMajor || (major === oldestMajor && minor < oldestMinor)
}
