import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { removeTemporaryFolders, temporaryFolders } from './folder.ts'
import { TOKEN_MARK } from './telegram-server/telegram-state.ts'

// The token of a bot is in no log, answer, output of a command, or stored byte. Every token of the server that stands in for
// Telegram has the same mark, which is looked for in all of these, in all tests.

/** Larger files hold what a test wrote to fill them. */
const MAX_BYTES = 256 * 1024 * 1024

/** What follows the mark in a token. */
const RANDOM_PART = /^[\w-]{24}$/

const leaks: string[] = []

/** Looks for tokens in what left the server. `where` says in the error what it was. */
export function lookForToken(where: string, text: string | Uint8Array): void {
  const bytes =
    typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.buffer, text.byteOffset, text.byteLength)
  for (let at = bytes.indexOf(TOKEN_MARK); at >= 0; at = bytes.indexOf(TOKEN_MARK, at + 1)) {
    const end = at + TOKEN_MARK.length
    // A test that is stored somewhere has the mark, but no token.
    if (!RANDOM_PART.test(bytes.toString('latin1', end, end + 24))) continue
    const around = bytes.toString('latin1', Math.max(0, at - 60), end)
    leaks.push(`${where}: …${around.replaceAll(/[^ -~]/g, '·')}`)
    return
  }
}

/** A log whose lines are kept, and looked at. */
export function recordLines(): { lines: string[]; write: (line: string) => void } {
  const lines: string[] = []
  return {
    lines,
    write(line) {
      lines.push(line)
      if (line.includes(TOKEN_MARK)) lookForToken('a line of the log', line)
    },
  }
}

/** After all tests: looks into all files that they have left, removes them, and throws if a token was anywhere. */
export function endTests(): void {
  for (const folder of temporaryFolders()) lookInto(folder)
  removeTemporaryFolders()
  if (leaks.length === 0) return
  const found = [...new Set(leaks)].join('\n')
  leaks.length = 0
  throw new Error(`The token of a bot got out:\n${found}`)
}

function lookInto(folder: string): void {
  for (const path of filesIn(folder)) {
    try {
      if (statSync(path).size <= MAX_BYTES) lookForToken(path, readFileSync(path))
    } catch {
      // Removed meanwhile, or not to be read: tests of full and broken disks leave such files.
    }
  }
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    return []
  }
}
