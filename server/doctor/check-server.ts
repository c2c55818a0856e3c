import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import { announcedPid, announcedUrl } from '../database/lock.ts'
import { type Finding, findingsOf } from './finding.ts'

const { ok, warning, error } = findingsOf('server')
const MAX_WAIT_MS = 3_000

interface AskedServer {
  isServing: boolean
  finding: Finding
  pid?: number
  /** Its settings. Undefined when this user may not read them. */
  environment?: Environment
}

type Environment = Record<string, string>

/** Asks the server of the data folder for its state. Only for a command: inside the server it is known. */
export async function askServer(config: Config): Promise<AskedServer> {
  const url = announcedUrl(config.dataFolder)
  const pid = announcedPid(config.dataFolder)
  if (url === undefined || !isRunning(pid)) return { isServing: false, finding: await notRunning(config) }
  const status = await askHealth(url)
  const environment = environmentOf(pid)
  const found = { pid, ...(environment && { environment }) }
  if (status === 'ok') return { ...found, isServing: true, finding: ok(`The server runs at ${url}.`) }
  const detail = status
    ? `The server at ${url} isn't ready: ${status}`
    : `The server at ${url} doesn't answer.`
  return {
    ...found,
    isServing: false,
    finding: error({ detail, advice: 'Look at its log, and restart it.' }),
  }
}

/** A command has fewer settings than the server, which gets them from systemd or a container. Only Linux shows them. */
function environmentOf(pid: number): Environment | undefined {
  try {
    const entries = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').filter(Boolean)
    return Object.fromEntries(
      entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    )
  } catch {
    return undefined
  }
}

async function notRunning({ host, port }: Config): Promise<Finding> {
  if (port !== 0 && (await isTaken(host, port))) {
    const detail = `The server isn't running, and another program listens on port ${port}.`
    return error({ detail, advice: 'Stop the other program, or set PORT to another number.' })
  }
  return warning({ detail: "The server isn't running.", advice: 'Start it: bellhop serve' })
}

/** A process of another user counts as running, too. */
function isRunning(pid: number | undefined): pid is number {
  if (pid === undefined) return false
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return cause instanceof Error && 'code' in cause && cause.code === 'EPERM'
  }
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
