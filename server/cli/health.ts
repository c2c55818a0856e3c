import type { Command } from 'commander'
import { readConfig } from '../config.ts'
import { announcedUrl } from '../database/lock.ts'
import { StartError } from '../errors.ts'
import { print } from './output.ts'

const MAX_WAIT_MS = 5_000

/** `bellhop health`, for supervisors such as Docker, which have no other program in the container. */
export function addHealth(program: Command): void {
  program
    .command('health')
    .description("check whether the server of this data folder is ready; exits with code 1 if it isn't")
    .action(async () => {
      const { dataFolder } = readConfig()
      const url = announcedUrl(dataFolder)
      if (url === undefined) throw new StartError(`No server runs on the data folder ${dataFolder}.`)
      const status = await ask(`${reachable(url)}/health/ready`).catch(() => {
        throw new StartError(`The server at ${url} isn't responding.`)
      })
      if (status !== 'ok') throw new StartError(`The server at ${url} is not ready: ${status}`)
      print(`The server at ${url} is ready.`)
    })
}

async function ask(url: string): Promise<string> {
  const signal = AbortSignal.timeout(MAX_WAIT_MS)
  // The certificate is for the public name, and this is the same machine.
  const response = await fetch(url, { signal, redirect: 'error', tls: { rejectUnauthorized: false } })
  const { status } = await response.json()
  return String(status)
}

/** A server that listens on every address listens on loopback, too. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}
