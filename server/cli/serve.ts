import { realpathSync } from 'node:fs'
import { basename, isAbsolute, relative } from 'node:path'
import { systemClock } from '../clock.ts'
import { readConfig } from '../config.ts'
import { fullDisk } from '../doctor/check-disk.ts'
import { machineFaults } from '../doctor/check-machine.ts'
import { arePagesBuilt } from '../http/built-pages.ts'
import { createSupervisor } from '../machine/sd-notify.ts'
import { type Answering, type Service, startService } from '../service.ts'
import { note } from './output.ts'

const STOP_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP']

/**
 * Starts the server and runs until a signal to stop. A signal during the start takes effect after it.
 */
export async function serve(): Promise<void> {
  const config = readConfig()
  let service: Service | undefined
  // With HTTPS, it reads the certificate again, as in other servers.
  if (config.tls) process.on('SIGHUP', () => service?.reloadCertificate())
  const stopSignal = waitForStopSignal(config.tls ? ['SIGINT', 'SIGTERM'] : STOP_SIGNALS)
  for (const { detail, advice } of machineFaults(systemClock.now())) note(`${detail} ${advice}`)
  service = await startService(config, {
    trustsResponses: true,
    onAnswering: async (answering) => {
      const disk = await fullDisk(config.dataFolder)
      if (disk) note(`${disk.detail} ${disk.advice}`)
      process.stdout.write(`${startMessage(answering)}${await setupMessage(answering)}`)
    },
  })
  const supervisor = createSupervisor()
  supervisor.ready(`Running at ${service.url}`)
  await stopSignal
  supervisor.stopping()
  await service.retire()
  await service.stop()
}

/** The server's address, and a note when the web pages are missing. */
export function startMessage({ url }: Pick<Answering, 'url'>): string {
  return `Bellhop is running at ${url}\n${missingPagesMessage()}`
}

/** Only when run from source: the compiled program contains the pages. */
function missingPagesMessage(): string {
  return arePagesBuilt()
    ? ''
    : "The web pages aren't built, so only the API is available. Build them in another terminal: bun run web\n"
}

async function setupMessage({ url, firstRun }: Answering): Promise<string> {
  if (!(await firstRun.isOpen())) return ''
  return `
Set up Bellhop at this link (valid until there is an organization):
  ${url}/welcome#${firstRun.token}
Or set it up in another terminal: ${programName()} setup --help
`
}

/** Ctrl+C reaches the program twice under npm: from the terminal, and passed on by its parent. */
const SAME_SIGNAL_MS = 1_000

/** Resolves at the first signal to stop. A second one, not from the same key press, ends the process at once. */
export function waitForStopSignal(signals: readonly NodeJS.Signals[] = STOP_SIGNALS): Promise<void> {
  let stoppingAt: number | undefined
  return new Promise((resolve) => {
    for (const signal of signals) {
      process.on(signal, () => {
        stoppingAt ??= systemClock.monotonic()
        if (systemClock.monotonic() - stoppingAt > SAME_SIGNAL_MS) process.exit(1)
        resolve()
      })
    }
  })
}

/** How to run this program from the current folder: the compiled file, Bun, or Bun through npx. */
function programName(): string {
  if (!/[/\\]server[/\\]main\.ts$/.test(Bun.main)) return commandOf(process.execPath)
  const isFromNpx = /[/\\]_npx[/\\]/.test(process.execPath)
  return `${isFromNpx ? `npx --yes bun@${Bun.version}` : 'bun'} server/main.ts`
}

/** A file that isn't on the PATH needs its path. */
function commandOf(file: string): string {
  const onPath = Bun.which(basename(file))
  if (onPath && realpathSync(onPath) === realpathSync(file)) return basename(file)
  const path = relative('.', file)
  return quote(path.startsWith('..') || isAbsolute(path) ? file : `./${path}`)
}

function quote(path: string): string {
  return /^[\w./\\:@+-]+$/.test(path) ? path : `"${path}"`
}
