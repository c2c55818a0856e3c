import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Debian's package `libfaketime`, which the program `faketime` loads. */
export const FAKETIME = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1'.replace(
  'x86_64',
  process.arch === 'arm64' ? 'aarch64' : 'x86_64',
)

/** A clock of one program. */
export interface FakedTime {
  /** For its environment. */
  env: Record<string, string>
  /** Sets the clock off by so much, while the program runs. Durations stay right. */
  set(offMs: number): void
}

export function createFakedTime(folder: string): FakedTime {
  const file = join(folder, 'faketime')
  function set(offMs: number): void {
    writeFileSync(`${file}.new`, `${offMs < 0 ? '-' : '+'}${Math.abs(offMs) / 1_000}\n`)
    renameSync(`${file}.new`, file)
  }
  set(0)
  return {
    env: {
      LD_PRELOAD: FAKETIME,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // What it would share between processes stays behind when one is killed.
      FAKETIME_DISABLE_SHM: '1',
    },
    set,
  }
}
