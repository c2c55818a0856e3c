import { readdirSync, readFileSync } from 'node:fs'
import { waitForPort, waitUntilFree } from './ports.ts'

const WAIT_EVERY_MS = 10
/** Then what is left of the program ends without its consent. */
const MAX_WAIT_MS = 2_000
/** Ends the group when its input does: with this process, however that ends. */
const WATCH = 'read -r _; kill -s TERM -- "-$0"; sleep 2; kill -s KILL -- "-$0"'

export interface BackgroundProgram {
  isRunning(): boolean
  /** Resolves when the program listens on all its ports. */
  start(): Promise<void>
  /** Ends the program with everything it has started and all its connections. Resolves when its ports are free. */
  stop(): Promise<void>
}

/** A server in a process group of its own. It ends with this process. */
export function backgroundProgram(given: {
  command: string[]
  env?: Record<string, string>
  ports: number[]
  log(): string
}): BackgroundProgram {
  let group: { id: number; exited: Promise<unknown>; release(): void } | undefined

  const program: BackgroundProgram = {
    isRunning: () => group !== undefined,
    async start() {
      if (group) return
      const leader = Bun.spawn(['setsid', ...given.command], {
        env: { ...process.env, ...given.env },
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      const guard = Bun.spawn(['setsid', 'sh', '-c', WATCH, String(leader.pid)], {
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      for (const child of [leader, guard]) child.unref()
      group = { id: leader.pid, exited: leader.exited, release: () => guard.kill('SIGKILL') }
      try {
        for (const port of given.ports) await waitForPort(port, () => leader.exitCode !== null)
      } catch (error) {
        await program.stop()
        throw new Error(`${given.command.join(' ')} did not start: ${given.log()}`, { cause: error })
      }
    },
    async stop() {
      if (!group) return
      const { id, exited, release } = group
      group = undefined
      // Dovecot's own end would leave open connections to its processes.
      signal(id, 'SIGTERM')
      for (let waited = 0; isAlive(id) && waited < MAX_WAIT_MS; waited += WAIT_EVERY_MS) {
        await Bun.sleep(WAIT_EVERY_MS)
      }
      signal(id, 'SIGKILL')
      release()
      // Until then its process id is taken, and the same program may not start again.
      await exited
      for (const port of given.ports) await waitUntilFree(port)
    },
  }
  return program
}

function signal(group: number, name: NodeJS.Signals): void {
  try {
    process.kill(-group, name)
  } catch {
    // Nobody is left in it.
  }
}

/** Whether a process of the group runs. One that has ended counts as a member until its parent asks for its status. */
function isAlive(group: number): boolean {
  return readdirSync('/proc').some((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      const [state, , id] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return state !== 'Z' && Number(id) === group
    } catch {
      return false
    }
  })
}
