import { isoTime } from '../dates.ts'

const NAME = /^bellhop-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.zst(?:\.age)?$/
const DAYS = 7
const WEEKS = 4
const DAY_MS = 86_400_000
/** January 1, 1970, was a Thursday; weeks begin on Mondays. */
const FIRST_MONDAY_DAYS = 4

/** `bellhop-20260301T030000Z.tar.zst`. Later names sort later. */
export function backupName(now: number, isEncrypted: boolean): string {
  const time = `${isoTime(now).slice(0, 19).replaceAll(/[-:]/g, '')}Z`
  return `bellhop-${time}.tar.zst${isEncrypted ? '.age' : ''}`
}

export function isBackupName(name: string): boolean {
  return NAME.test(name)
}

/** Those to delete: all but the newest of each of the newest seven days and of the newest four weeks that have one. */
export function outdatedBackups(names: string[]): string[] {
  const newestFirst = names.filter(isBackupName).sort().reverse()
  const days = new Map<number, string>()
  const weeks = new Map<number, string>()
  for (const name of newestFirst) {
    const day = Math.floor(timeOf(name) / DAY_MS)
    const week = Math.floor((day - FIRST_MONDAY_DAYS) / 7)
    if (!days.has(day) && days.size < DAYS) days.set(day, name)
    if (!weeks.has(week) && weeks.size < WEEKS) weeks.set(week, name)
  }
  const kept = new Set([...days.values(), ...weeks.values()])
  return newestFirst.filter((name) => !kept.has(name))
}

function timeOf(name: string): number {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}
