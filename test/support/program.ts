import { join, resolve } from 'node:path'
import { lookForToken } from './token-leaks.ts'

/** Environment variables of a child process. It gets no others. */
export type Place = Record<string, string>

export interface Finished {
  code: number
  out: string
  err: string
}

/** Killed at the end of its scope if it's still running. */
export interface RunningServer extends AsyncDisposable {
  url: string
  pid: number
  /** Its output so far. */
  out(): string
  /** Its log so far, one JSON object per line. Also shown with the results of the tests. */
  log(): string
  /** Sends the signal and waits for the exit. Returns the exit code, or null when a signal ended it. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): Promise<number | null>
}

export const SOURCES = [process.execPath, join(import.meta.dir, '../../server/main.ts')]

/** `bun run suite` compiles the program once: it starts with less than half the CPU time of the sources. */
export const COMPILED = process.env.TEST_PROGRAM && resolve(process.env.TEST_PROGRAM)
export const PROGRAM = COMPILED ? [COMPILED] : SOURCES

/** Runs one command and waits for it. */
export async function runProgram(
  place: Place,
  args: string[],
  program = PROGRAM,
  cwd = '.',
): Promise<Finished> {
  const child = Bun.spawn([...program, ...args], { cwd, env: place, stdout: 'pipe', stderr: 'pipe' })
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), child.exited])
  lookForToken(`the output of ${args[0]}`, out + err)
  return { code, out, err }
}

function text(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<string> {
  return new Response(stream).text()
}

/** For a busy machine, and an upgrade of much data. */
const MAX_START_MS = 120_000

/** Starts the server, on a free port unless `PORT` is set, and waits until it prints its address. */
export async function startProgram(
  place: Place,
  program = PROGRAM,
  cwd = '.',
  args = ['serve'],
): Promise<RunningServer> {
  const env = { PORT: '0', ...place }
  const child = Bun.spawn([...program, ...args], { cwd, env, stdout: 'pipe', stderr: 'pipe' })
  let printed = ''
  let logged = ''
  const { promise: running, resolve, reject } = Promise.withResolvers<string>()
  const reading = (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      printed += text
      const url = /running at (\S+)\n/.exec(printed)?.[1]
      if (url) resolve(url)
    }
    reject(new Error(`The server exited before it printed its address: ${printed}`))
  })()
  const logging = (async () => {
    for await (const text of child.stderr.pipeThrough(new TextDecoderStream())) {
      logged += text
      process.stderr.write(text)
    }
  })()
  const tooLong = setTimeout(() => {
    child.kill('SIGKILL')
    reject(new Error(`The server started for too long: ${printed}${logged}`))
  }, MAX_START_MS)
  async function end(signal: 'SIGTERM' | 'SIGINT' | 'SIGHUP' | 'SIGKILL'): Promise<number | null> {
    child.kill(signal)
    await child.exited
    await Promise.all([reading, logging])
    lookForToken('the output of the server', printed + logged)
    return child.exitCode
  }
  return {
    url: await running.finally(() => clearTimeout(tooLong)),
    pid: child.pid,
    out: () => printed,
    log: () => logged,
    end,
    async [Symbol.asyncDispose]() {
      await end('SIGKILL')
    },
  }
}
