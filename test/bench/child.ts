import { readFileSync } from 'node:fs'

export interface Child {
  pid: number
  port: number
  /** Milliseconds from the start of the process to its first line. */
  startedInMs: number
  stop(): Promise<void>
}

const ROOT = `${import.meta.dir}/../..`
const TICK_US = 10_000

/** Starts a program of the repository and waits until it has written the address or port it listens on. */
export async function startChild(
  program: string,
  args: string[],
  settings: Record<string, string> = {},
): Promise<Child> {
  const startedAt = performance.now()
  const child = Bun.spawn([process.execPath, program, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await firstLine(child.stdout)
  const startedInMs = performance.now() - startedAt
  const port = Number(/(\d+)\s*$/.exec(line)?.[1])
  return {
    pid: child.pid,
    port,
    startedInMs,
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

/** Runs a program of the repository to its end. Returns what it wrote. */
export async function runChild(
  program: string,
  args: string[],
  settings: Record<string, string>,
): Promise<string> {
  const child = Bun.spawn([process.execPath, program, ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const written = await new Response(child.stdout).text()
  if ((await child.exited) !== 0) throw new Error(`${program} failed.`)
  return written
}

/** The product, as its user starts it. */
export function startProduct(folder: string, settings: Record<string, string> = {}): Promise<Child> {
  const quiet = { PORT: '0', BELLHOP_DATA: folder, BELLHOP_LOG: 'error' }
  return startChild('server/main.ts', ['serve'], { ...quiet, ...settings })
}

/** Processor time a process has used so far, in microseconds. */
export function cpuOf(pid: number): number {
  return cpuIn(`/proc/${pid}/stat`)
}

/** The same for its main thread, where requests are answered. */
export function mainThreadCpuOf(pid: number): number {
  return cpuIn(`/proc/${pid}/task/${pid}/stat`)
}

/** The same for a process with all that it started, also those that have ended. */
export function cpuOfTree(pid: number): number {
  return pidsOfTree(pid).reduce((sum, one) => sum + cpuIn(`/proc/${one}/stat`, 4), 0)
}

/** A process and its children. */
export function pidsOfTree(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return [pid, ...children.split(' ').filter(Boolean).map(Number)]
}

/** `howMany` is 4 with the time of ended children. */
function cpuIn(file: string, howMany = 2): number {
  const fields = readFileSync(file, 'utf8').split(') ')[1]?.split(' ') ?? []
  return fields.slice(11, 11 + howMany).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_US
}

/** Resident memory of a process, in MiB. */
export function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  while (!text.includes('\n')) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`The program ended before it was ready: ${text}`)
    text += decoder.decode(value)
  }
  reader.releaseLock()
  return text.slice(0, text.indexOf('\n'))
}
