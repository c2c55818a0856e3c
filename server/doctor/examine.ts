import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'
import { checkAddress, checkProxy } from './check-address.ts'
import { checkBackups } from './check-backups.ts'
import { checkMailServers, checkOwnCertificates } from './check-certificates.ts'
import { checkBots, checkMailboxes } from './check-channels.ts'
import { checkClock } from './check-clock.ts'
import { checkDatabase } from './check-database.ts'
import { checkBacklog, checkEndpoints, checkSearch } from './check-deliveries.ts'
import { checkDisk } from './check-disk.ts'
import { checkDns } from './check-dns.ts'
import { checkFiles, checkFolder } from './check-folder.ts'
import { checkMachine } from './check-machine.ts'
import { checkServers } from './check-servers.ts'
import {
  CHECKS,
  type CheckName,
  countOf,
  FINDING_STATES,
  type Finding,
  type FindingState,
  findingsOf,
  type OpenInstallation,
} from './finding.ts'

/** For one check. Those of a whole database take longer. */
const MAX_CHECK_MS = 15_000

interface Examined {
  config: Config
  /** Milliseconds since 1970. */
  now: number
  isServing: boolean
  widgetTag: string | undefined
  /** The data, and the organizations to check. Undefined when the data can't be opened. */
  data?: { deps: Deps; orgIds: string[] }
  /** The server's process, if it is another one. */
  pid?: number
  /** Of requests that came through a proxy that isn't trusted. */
  untrustedProxy?: string | undefined
  /** Time limits in milliseconds. */
  limits?: { check?: number; database?: number }
}

export interface Report {
  /** The worst of the findings. */
  state: FindingState
  /** That in a sentence. */
  detail: string
  /** The worst first. */
  findings: Finding[]
}

type Check = (signal: AbortSignal) => Promise<Finding[]>

/** Runs all checks in parallel. A check that fails or takes too long becomes a finding, and the others continue. */
export async function examine(examined: Examined): Promise<Report> {
  const found = await Promise.all(
    checksOf(examined).map(([name, check, limitMs]) => {
      return runCheck(name, check, limitMs ?? examined.limits?.check ?? MAX_CHECK_MS)
    }),
  )
  return reportOf(found.flat())
}

/** Add a check here, and its name in finding.ts. */
function checksOf({ data, pid, untrustedProxy, limits, ...given }: Examined): [CheckName, Check, number?][] {
  const on = (signal: AbortSignal) => ({ ...given, signal })
  const installation: [CheckName, Check, number?][] = [
    ['folder', (signal) => checkFolder(on(signal))],
    ['database', (signal) => checkDatabase(on(signal)), limits?.database],
    ['machine', (signal) => checkMachine(on(signal), pid)],
    ['address', (signal) => checkAddress(on(signal))],
    ['certificate', (signal) => checkOwnCertificates(on(signal))],
    ['proxy', (signal) => checkProxy(on(signal), untrustedProxy)],
  ]
  if (!data) return [...installation, ['disk', (signal) => checkDisk(on(signal))]]
  const withData = (check: (open: OpenInstallation) => Promise<Finding[]>): Check => {
    return (signal) => check({ ...on(signal), ...data })
  }
  return [
    ...installation,
    ['disk', withData(checkDisk)],
    ['servers', withData(checkServers)],
    ['files', withData(checkFiles)],
    ['clock', withData(checkClock)],
    ['dns', withData(checkDns)],
    ['certificate', withData(checkMailServers)],
    ['backup', withData(checkBackups)],
    ['mailbox', withData(checkMailboxes)],
    ['bot', withData(checkBots)],
    ['endpoint', withData(checkEndpoints)],
    ['backlog', withData(checkBacklog)],
    ['search', withData(checkSearch)],
  ]
}

async function runCheck(name: CheckName, check: Check, limitMs: number): Promise<Finding[]> {
  const { warning } = findingsOf(name)
  const stop = new AbortController()
  const { promise: tooLate, resolve } = Promise.withResolvers<Finding[]>()
  const timer = setTimeout(() => {
    const detail = `This check takes longer than ${countOf(Math.round(limitMs / 1000), 'second')}.`
    resolve([warning(detail, 'Run it again in a few minutes, or on the server: bellhop doctor')])
  }, limitMs)
  const running = check(stop.signal).catch((error) => {
    const advice = 'Run it again, and report it if it stays.'
    return [warning(`This check failed: ${innermostMessage(error)}`, advice)]
  })
  try {
    return await Promise.race([running, tooLate])
  } finally {
    clearTimeout(timer)
    stop.abort()
  }
}

/** The outer messages of a failed query contain its parameters. */
function innermostMessage(error: unknown): string {
  let innermost = error
  while (innermost instanceof Error && innermost.cause instanceof Error) innermost = innermost.cause
  return innermost instanceof Error ? String(innermost.message.split('\n')[0]) : String(innermost)
}

/** Also used for the findings of a command that can't continue. */
export function reportOf(found: Finding[]): Report {
  const worth = ({ state }: Finding) => FINDING_STATES.indexOf(state)
  const findings = found.toSorted(
    (one, other) => worth(other) - worth(one) || CHECKS.indexOf(one.check) - CHECKS.indexOf(other.check),
  )
  const count = (state: FindingState) => findings.filter((one) => one.state === state).length
  const [errors, warnings] = [count('error'), count('warning')]
  const parts = [errors > 0 && countOf(errors, 'error'), warnings > 0 && countOf(warnings, 'warning')]
  return {
    state: findings[0]?.state ?? 'ok',
    detail:
      findings[0]?.state === 'ok' ? 'Everything is fine.' : `${parts.filter(Boolean).join(' and ')} found.`,
    findings,
  }
}
