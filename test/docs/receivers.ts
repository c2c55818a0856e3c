import { closeSync, openSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/folder.ts'
import { reservePort } from '../support/mail/ports.ts'
import { block } from './page.ts'

export interface Language {
  /** As the page calls it. */
  name: string
  /** Of the block of code. */
  block: string
  program: string
  file: string
  /** Turns the source into something to run, where that takes a step of its own. */
  build?(source: string): string[]
  command(file: string, port: number): string[]
}

export const LANGUAGES: Language[] = [
  {
    name: 'Node',
    block: 'js',
    program: 'node',
    file: 'receiver.mjs',
    command: (file) => ['node', file],
  },
  {
    name: 'Python',
    block: 'python',
    program: 'python3',
    file: 'receiver.py',
    command: (file) => ['python3', '-u', file],
  },
  {
    name: 'Go',
    block: 'go',
    program: 'go',
    file: 'receiver.go',
    // Unoptimized and without C: on a machine that never built anything, half of the time goes into what this leaves out.
    build: (file) => ['go', 'build', '-gcflags=all=-N -l', '-ldflags=-w', '-o', `${file}.out`, file],
    command: (file) => [`${file}.out`],
  },
  {
    name: 'PHP',
    block: 'php',
    program: 'php',
    file: 'receiver.php',
    command: (file, port) => ['php', '-S', `127.0.0.1:${port}`, file],
  },
]

/** The page's receiver of a language as a file, built if need be. */
export async function makeReceiver(language: Language): Promise<string> {
  const file = join(temporaryFolder('receiver'), language.file)
  writeFileSync(file, block(language.block, 'SIGNING_SECRET'))
  const build = language.build?.(file)
  if (!build) return file
  const env = { ...process.env, CGO_ENABLED: '0' }
  const child = Bun.spawn(build, { env, stdout: 'inherit', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`The receiver in ${language.name} does not build.`)
  return file
}

export interface ReceiverProgram extends AsyncDisposable {
  /** Posts to it; answers the status. */
  post(body: Uint8Array<ArrayBuffer>, headers: Record<string, string>): Promise<number>
  /** What it has printed. */
  log(): Promise<string>
}

/** Starts a receiver and waits until it listens. Undefined when it ended instead. */
export async function startProgram(
  language: Language,
  file: string,
  secret: string,
): Promise<ReceiverProgram | undefined> {
  const port = reservePort()
  const log = openSync(`${file}.log`, 'a')
  const child = Bun.spawn(language.command(file, port), {
    env: { PATH: process.env.PATH ?? '', PORT: String(port), SIGNING_SECRET: secret },
    stdout: log,
    stderr: log,
  })
  closeSync(log)
  while (child.exitCode === null && !(await isListening(port))) await Bun.sleep(10)
  if (child.exitCode !== null) return undefined
  return {
    async post(body, headers) {
      const { status } = await fetch(`http://127.0.0.1:${port}/bellhop`, { method: 'POST', body, headers })
      return status
    },
    log: () => Bun.file(`${file}.log`).text(),
    async [Symbol.asyncDispose]() {
      child.kill()
      await child.exited
    },
  }
}

export async function isListening(port: number): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })
    socket.end()
    return true
  } catch {
    return false
  }
}
