import { type Place, PROGRAM } from './program.ts'
import { eventually } from './webhooks.ts'

/** `bellhop listen`, ready. Killed at the end of its scope if it's still running. */
export interface Listening extends AsyncDisposable {
  secret: string
  /** About the events, as far as they are complete. */
  lines(): string[]
  printed(): string
  /** Sends the signal and waits for the exit. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

/** Starts the command, and waits until it is ready. Throws what it says when it ends instead. */
export async function startListening(place: Place, args: string[]): Promise<Listening> {
  const env = { BELLHOP_DATA: '/nowhere', ...place }
  const child = Bun.spawn([...PROGRAM, 'listen', ...args], { env, stdout: 'pipe', stderr: 'pipe' })
  const said = { out: '', err: '' }
  const read = async (stream: ReadableStream<Uint8Array<ArrayBuffer>>, name: 'out' | 'err') => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) said[name] += text
  }
  const reading = Promise.all([read(child.stdout, 'out'), read(child.stderr, 'err')])
  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    child.kill(signal)
    await Promise.all([child.exited, reading])
  }
  const secret = await eventually(() => {
    if (child.exitCode !== null) throw new Error(said.err)
    return /^Ready: .*Signing secret: (whsec_\S+)$/m.exec(said.err)?.[1]
  })
  return {
    secret,
    lines: () => said.err.split('\n').slice(1, -1),
    printed: () => said.out,
    end,
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  }
}
