import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import { type Config, readConfig } from '../config.ts'
import { isDataCurrent } from '../database/data-version.ts'
import { isoTime } from '../dates.ts'
import type { Deps } from '../deps.ts'
import { askServer } from '../doctor/check-server.ts'
import { examine, type Report, reportOf } from '../doctor/examine.ts'
import { type Finding, findingsOf } from '../doctor/finding.ts'
import { ConfigError, StartError } from '../errors.ts'
import { builtPages } from '../http/built-pages.ts'
import { openDeps } from '../open-deps.ts'
import { listOrganizations } from '../organizations/directory.ts'
import { escapeControls, print, printJson } from './output.ts'

/** A large database on a slow disk. */
const MAX_DATABASE_MS = 30 * 60_000
const WIDTH = 9
const CHECK_WIDTH = 13

export function addDoctor(program: Command): void {
  program
    .command('doctor')
    .description('check the installation and say what to do; exits with code 1 if it found an error')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: true }) => {
      const now = systemClock.now()
      const report = await diagnose(now)
      if (json) printJson({ ...report, checkedAt: isoTime(now) })
      else printReport(report)
      if (report.state === 'error') throw new StartError(report.detail)
    })
}

/** Changes nothing: data of an earlier version isn't upgraded, and a missing folder isn't created. */
async function diagnose(now: number): Promise<Report> {
  let config: Config
  try {
    config = readConfig()
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    const advice = 'Correct the setting. All of them: bellhop serve --help'
    return reportOf([findingsOf('settings').error(cause.message, advice)])
  }
  const server = await askServer(config)
  const given = {
    config,
    now,
    isServing: server.isServing,
    widgetTag: builtPages()?.widget.etag,
    ...(server.pid && { pid: server.pid }),
    untrustedProxy: server.untrustedProxy,
  }
  const opened = await openData(config)
  try {
    const data = opened.deps && { deps: opened.deps, orgIds: await idsOf(opened.deps) }
    const limits = { database: MAX_DATABASE_MS }
    const { findings } = await examine({ ...given, ...(data && { data }), limits })
    return reportOf([server.finding, ...otherSettings(server.differences), ...findings, ...opened.findings])
  } finally {
    await opened.deps?.database.close()
  }
}

function otherSettings(differences: string[]): Finding[] {
  if (differences.length === 0) return []
  const detail = `The running server has other settings. ${differences.join(' ')}`
  const advice = 'Put them into bellhop.env in the data folder, or name their file with --env-file.'
  return [findingsOf('settings').error(detail, advice)]
}

/** An error while opening becomes a finding, unless a check already reports it. */
async function openData(config: Config): Promise<{ deps?: Deps; findings: Finding[] }> {
  if (!(await isDataCurrent(config))) return { findings: [] }
  try {
    return { deps: await openDeps(config), findings: [] }
  } catch (cause) {
    if (!(cause instanceof StartError)) return { findings: [] }
    const advice = 'The mailboxes, bots, endpoints, and backups were not checked.'
    return { findings: [findingsOf('folder').error(cause.message, advice)] }
  }
}

async function idsOf(deps: Deps): Promise<string[]> {
  return (await listOrganizations(deps)).map(({ id }) => id)
}

function printReport({ detail, findings }: Report): void {
  for (const one of findings) {
    print(`${one.state.padEnd(WIDTH)}${one.check.padEnd(CHECK_WIDTH)}${escapeControls(one.detail)}`)
    if (one.advice) print(`${' '.repeat(WIDTH + CHECK_WIDTH)}→ ${escapeControls(one.advice)}`)
  }
  if (findings.every(({ state }) => state !== 'error')) print(`\n${detail}`)
}
