import { totalmem } from 'node:os'
import { descriptorLimit } from '../http/connection-limit.ts'

/** This version is newer, so a clock that shows less is wrong. Milliseconds since 1970. */
const EARLIEST = Date.UTC(2026, 10, 1)
/** Each visitor and each open inbox takes one. */
const FEW_DESCRIPTORS = 1_024
const MIB = 1024 * 1024
/** The server takes 80 MiB at rest, and more with many messages at once. */
const LITTLE_MEMORY_BYTES = 256 * MIB

/**
 * What is wrong with this machine, and what to do, one sentence each. The server works in spite of it. `now` is in
 * milliseconds since 1970.
 */
export function machineFaults(now: number): string[] {
  const faults: string[] = []
  if (now < EARLIEST) {
    faults.push(
      `The clock of this machine says ${new Date(now).toISOString()}, which is in the past. Set it, or times, sign-ins, and certificates will be wrong.`,
    )
  }
  const descriptors = descriptorLimit()
  if (descriptors !== undefined && descriptors < FEW_DESCRIPTORS) {
    faults.push(
      `This process may open only ${descriptors} files and connections. Raise the limit to 4096 or more: ulimit -Hn, or LimitNOFILE= in systemd.`,
    )
  }
  const memory = Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
  if (memory < LITTLE_MEMORY_BYTES) {
    faults.push(`Bellhop may use only ${Math.floor(memory / MIB)} MiB of memory. Give it 256 MiB or more.`)
  }
  return faults
}
