import { connect } from 'node:net'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { DATABASE_FAULT } from '../database/database.ts'
import { holderOf } from '../database/lock.ts'
import { differencesFrom } from '../machine/recorded-settings.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, error } = findingsOf('server')
const MAX_WAIT_MS = 3_000

interface AskedServer {
  isServing: boolean
  finding: Finding
  pid?: number
  /** Settings that it has otherwise than this command, in sentences. */
  differences: string[]
  untrustedProxy?: string | undefined
}

/** Asks the server of the data folder for its state. Only for a command: inside the server it is known. */
export async function askServer(config: Config): Promise<AskedServer> {
  const server = holderOf(config.dataFolder)
  if (server?.url === undefined) {
    return { isServing: false, differences: [], finding: await notRunning(config) }
  }
  const { url, pid, settings, untrustedProxy } = server
  const status = await askHealth(url)
  const differences = settings ? differencesFrom(settings, config) : []
  const found = { pid, differences, untrustedProxy }
  if (status === 'ok') return { ...found, isServing: true, finding: ok(`The server runs at ${url}.`) }
  const detail = status
    ? `The server at ${url} isn't ready: ${status}`
    : `The server at ${url} doesn't answer.`
  const advice =
    status === DATABASE_FAULT && config.databaseUrl !== undefined
      ? 'Look at PostgreSQL. The server goes on as soon as that answers.'
      : 'Look at its log, and restart it.'
  return { ...found, isServing: false, finding: error(detail, advice) }
}

async function notRunning({ host, port }: Config): Promise<Finding> {
  if (port !== 0 && (await isTaken(host, port))) {
    const detail = `The server isn't running, and another program listens on port ${port}.`
    return error(detail, 'Stop the other program, or set PORT to another number.')
  }
  return warning("The server isn't running.", 'Start it: bellhop serve')
}

/** Undefined when it doesn't answer. */
async function askHealth(url: string): Promise<string | undefined> {
  // A server that listens on every address listens on loopback, too.
  const local = url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
  try {
    const response = await fetch(`${local}/health/ready`, {
      signal: AbortSignal.timeout(MAX_WAIT_MS),
      redirect: 'error',
      // The certificate is for the public name, and this is the same machine.
      tls: { rejectUnauthorized: false },
    })
    return String((await response.json()).status)
  } catch {
    return undefined
  }
}

function isTaken(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: host === '0.0.0.0' || host === '::' ? 'localhost' : host, port })
    const end = (taken: boolean) => {
      cancelTimer()
      socket.destroy()
      resolve(taken)
    }
    const cancelTimer = systemClock.after(MAX_WAIT_MS, () => end(false))
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })
}
