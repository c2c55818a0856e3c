import { join } from 'node:path'
import { type DatabaseRelay, startDatabaseRelay } from '../database-relay.ts'
import { temporaryFolder } from '../folder.ts'
import { reservePort } from '../mail/ports.ts'
import { type Place, PROGRAM, type RunningServer, startProgram } from '../program.ts'
import { createFakedTime } from './faked-time.ts'

/** One of the servers that share a database: a process with a data folder, a port and a way to the database of its own. */
export interface ClusterNode {
  url: string
  place: Place
  /** Between this node and the database: what cuts it off cuts off no other. */
  relay: DatabaseRelay
  /** Of the process; undefined while it doesn't run. */
  pid(): number | undefined
  /** Everything that it has logged, also before it was started again. */
  log(): string
  /** `program` is another build than that of the tests. */
  start(program?: string[]): Promise<void>
  kill(): Promise<void>
  /** Ends it as supervisors do. Returns its exit code. */
  stop(): Promise<number | null>
  /** It does nothing until it thaws, like a virtual machine that is moved. */
  freeze(): void
  thaw(): void
  /** Sets the clock of its machine off by so much. */
  setClock(offMs: number): void
}

/** Not started yet. `hasOwnClock`: `setClock` works. */
export function createNode(database: string, settings: Place, hasOwnClock: boolean): ClusterNode {
  const port = reservePort()
  const relay = startDatabaseRelay(database)
  const folder = temporaryFolder('node')
  const clock = createFakedTime(folder)
  const place = {
    BELLHOP_DATA: join(folder, 'data'),
    BELLHOP_LOG: 'info',
    PORT: String(port),
    DATABASE_URL: relay.url,
    ...settings,
    ...(hasOwnClock && clock.env),
  }
  let server: RunningServer | undefined
  let logged = ''

  async function end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const ending = server
    server = undefined
    if (!ending) return null
    const code = await ending.end(signal)
    logged += ending.log()
    return code
  }

  function signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    if (server) process.kill(server.pid, name)
  }

  return {
    url: `http://127.0.0.1:${port}`,
    place,
    relay,
    pid: () => server?.pid,
    log: () => logged + (server?.log() ?? ''),
    async start(program = PROGRAM) {
      server = await startProgram(place, program)
    },
    async kill() {
      await end('SIGKILL')
    },
    stop: () => end('SIGTERM'),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    setClock: clock.set,
  }
}
