import { connect } from 'node:net'

/** Below the ports Linux hands to outgoing connections, so that a server that is stopped finds its port free again. */
const FIRST_PORT = 20_000
const PORTS = 12_000
const TRIES = 1_000
const WAIT_TRIES = 3_000
const WAIT_EVERY_MS = 10

/**
 * A free port of 127.0.0.1 for another program to listen on. It stays reserved until this process ends: an abstract
 * socket of the port's name keeps the suite's other processes from choosing it as well.
 */
export function reservePort(): number {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = FIRST_PORT + Math.floor(Math.random() * PORTS)
    if (claim(`bellhop-port-${port}`) && isFree(port)) return port
  }
  throw new Error('There is no free port.')
}

/** Resolves once something listens on the port. `hasEnded` says that it never will. */
export async function waitForPort(port: number, hasEnded: () => boolean): Promise<void> {
  for (let tries = 0; tries < WAIT_TRIES && !hasEnded(); tries += 1) {
    if (await accepts(port)) return
    await Bun.sleep(WAIT_EVERY_MS)
  }
  throw new Error(`Nothing listens on port ${port}.`)
}

/** Resolves once nothing listens on the port any more. */
export async function waitUntilFree(port: number): Promise<void> {
  for (let tries = 0; tries < WAIT_TRIES; tries += 1) {
    if (isFree(port)) return
    await Bun.sleep(WAIT_EVERY_MS)
  }
  throw new Error(`Something still listens on port ${port}.`)
}

function claim(name: string): boolean {
  try {
    Bun.listen({ unix: `\0${name}`, socket: { data() {} } }).unref()
    return true
  } catch {
    return false
  }
}

function isFree(port: number): boolean {
  try {
    Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } }).stop(true)
    return true
  } catch {
    return false
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
