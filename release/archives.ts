import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { pack } from 'tar-stream'

export interface ArchivedFile {
  name: string
  bytes: Uint8Array
  isProgram?: boolean
}

/** Regular file, and its mode in the upper half, as Info-ZIP stores it. */
const UNIX = 3
const REGULAR_FILE = 0o100000
const SMALLEST = 9

/** Without names and times of this machine, so that the same files make the same archive. */
export async function tarGz(files: ArchivedFile[], time: Date): Promise<Uint8Array> {
  const tar = pack()
  for (const { name, bytes, isProgram } of files) {
    tar.entry(
      { name, mtime: time, mode: modeOf(isProgram), uname: 'root', gname: 'root' },
      Buffer.from(bytes),
    )
  }
  tar.finalize()
  return gzipSync(await buffer(tar), { level: SMALLEST })
}

/** For Windows. */
export function zip(files: ArchivedFile[], time: Date): Uint8Array {
  return zipSync(
    Object.fromEntries(
      files.map(({ name, bytes, isProgram }) => [
        name,
        [bytes, { os: UNIX, attrs: (REGULAR_FILE | modeOf(isProgram)) << 16, mtime: localTime(time) }],
      ]),
    ),
    { level: SMALLEST },
  )
}

function modeOf(isProgram = false): number {
  return isProgram ? 0o755 : 0o644
}

/** A zip has local times: UTC, wherever it is made. */
function localTime(time: Date): Date {
  return new Date(time.getTime() + time.getTimezoneOffset() * 60_000)
}
