import { isoTime } from '../dates.ts'
import { describeS3, readS3Place, type S3Place, type S3Settings } from '../network/s3.ts'

/** Where automatic backups go. */
export type BackupPlace = { kind: 'folder'; path: string } | ({ kind: 's3' } & S3Place)

/** Reads a folder's path or `s3://bucket/prefix`. Throws when it is neither, or when the keys of S3 are missing. */
export function readBackupPlace(value: string, settings: S3Settings): BackupPlace {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return { kind: 'folder', path: value }
  return { kind: 's3', ...readS3Place(value, settings) }
}

/** Describes the place for people, without keys. */
export function describePlace(place: BackupPlace): string {
  return place.kind === 'folder' ? place.path : describeS3(place)
}

/** Of each of the newest `count` units of time that have backups, the newest is kept. */
export interface KeptBackups {
  count: number
  unit: 'h' | 'd' | 'w' | 'm'
}

const KEPT = /^([1-9]\d{0,2})([hdwm])$/

/** Parses `7d,4w`. Throws for anything else. */
export function parseKeptBackups(value: string): KeptBackups[] {
  return value.split(',').map((part) => {
    const [, count, unit] = KEPT.exec(part.trim()) ?? []
    const known = (['h', 'd', 'w', 'm'] as const).find((one) => one === unit)
    if (!known) throw new Error(value)
    return { count: Number(count), unit: known }
  })
}

const NAME = /^bellhop-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.tar\.zst(?:\.age)?$/
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
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

/** Those to delete. The newest one always stays. */
export function outdatedBackups(names: string[], rules: KeptBackups[]): string[] {
  const newestFirst = names.filter(isBackupName).sort().reverse()
  const kept = new Set(newestFirst.slice(0, 1))
  for (const { count, unit } of rules) {
    const newest = new Map<string, string>()
    for (const name of newestFirst) {
      const period = periodOf(timeOf(name), unit)
      if (!newest.has(period) && newest.size < count) newest.set(period, name)
    }
    for (const name of newest.values()) kept.add(name)
  }
  return newestFirst.filter((name) => !kept.has(name))
}

function periodOf(time: number, unit: KeptBackups['unit']): string {
  const day = Math.floor(time / DAY_MS)
  switch (unit) {
    case 'h':
      return String(Math.floor(time / HOUR_MS))
    case 'd':
      return String(day)
    case 'w':
      return String(Math.floor((day - FIRST_MONDAY_DAYS) / 7))
    case 'm':
      return isoTime(time).slice(0, 'yyyy-mm'.length)
  }
}

function timeOf(name: string): number {
  const [, year, month, day, hour, minute, second] = NAME.exec(name) ?? []
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}
