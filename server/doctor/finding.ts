import type { Config } from '../config.ts'
import type { Deps } from '../deps.ts'

/** The checks, in the order in which they are shown. */
export const CHECKS = [
  'settings',
  'folder',
  'disk',
  'database',
  'servers',
  'files',
  'server',
  'machine',
  'clock',
  'dns',
  'address',
  'certificate',
  'proxy',
  'backup',
  'mailbox',
  'bot',
  'endpoint',
  'backlog',
  'search',
] as const
export type CheckName = (typeof CHECKS)[number]

/** `warning`: it works, and may not for long. `error`: something doesn't work. From good to bad. */
export const FINDING_STATES = ['ok', 'warning', 'error'] as const
export type FindingState = (typeof FINDING_STATES)[number]

/** One sentence about the state, and one about what to do, which is empty if there is nothing to do. */
export interface Finding {
  check: CheckName
  state: FindingState
  detail: string
  advice: string
}

/** The installation that is checked. */
export interface Installation {
  config: Config
  /** Milliseconds since 1970. */
  now: number
  /** Aborted when the check has run out of time. */
  signal: AbortSignal
  /** Whether the server is running, so that its address answers, mail is fetched, and deliveries are sent. */
  isServing: boolean
  /** The entity tag of the script of the website widget; undefined when the pages aren't built. */
  widgetTag: string | undefined
}

/** The same with its data. */
export interface OpenInstallation extends Installation {
  deps: Deps
  /** The organizations whose channels and endpoints are examined. */
  orgIds: string[]
}

/** Findings of one check. */
export function findingsOf(check: CheckName) {
  const finding = (state: FindingState) => {
    return (detail: string, advice: string): Finding => ({ check, state, detail, advice })
  }
  return {
    ok: (detail: string) => finding('ok')(detail, ''),
    warning: finding('warning'),
    error: finding('error'),
    /** The problems of some things; if there is none, that there are so many without problems. */
    all(count: number, noun: string, problems: Finding[]): Finding[] {
      if (problems.length > 0 || count === 0) return problems
      return [finding('ok')(`${countOf(count, noun)} without problems.`, '')]
    },
  }
}

/** `1 day`, `3 days`, `2 mailboxes`. */
export function countOf(count: number, noun: string): string {
  const ending = noun.endsWith('x') ? 'es' : 's'
  return `${count} ${noun}${count === 1 ? '' : ending}`
}

/** How long something has been going on: `5 minutes`, `3 hours`, `2 days`. */
export function durationOf(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000)
  if (minutes < 1) return 'less than a minute'
  if (minutes < 120) return countOf(minutes, 'minute')
  if (minutes < 48 * 60) return countOf(Math.floor(minutes / 60), 'hour')
  return countOf(Math.floor(minutes / 1_440), 'day')
}

/** `2026-03-01` of milliseconds since 1970. */
export function dayOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10)
}
