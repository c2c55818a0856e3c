import { readFileSync } from 'node:fs'
import { InvalidArgumentError } from 'commander'
import { systemClock } from '../clock.ts'
import { isCalendarDay, parseDuration } from '../dates.ts'
import { UsageError } from '../errors.ts'

const MAX_NUMBER = 1_000_000
/** ISO 8601: a day, or a time. Without an offset, a time is in the machine's time zone. */
const DATE = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?$/

/** Parses a comma-separated list of known words. */
export function wordsOf<Word extends string>(known: readonly Word[]): (value: string) => Word[] {
  return (value) => value.split(',').map((part) => oneOf(known)(part.trim()))
}

export function oneOf<Word extends string>(known: readonly Word[]): (value: string) => Word {
  return (value) => {
    const word = known.find((one) => one === value)
    if (word === undefined) throw new InvalidArgumentError(`Choose from ${known.join(', ')}.`)
    return word
  }
}

export function wholeNumber(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number.')
  const number = Number(value)
  if (number > MAX_NUMBER) throw new InvalidArgumentError(`It must be at most ${MAX_NUMBER}.`)
  return number
}

/** Milliseconds since 1970 of a date, or of a duration from now. */
export function futureTime(value: string): number {
  return timeOf(value, 1)
}

/** Milliseconds since 1970 of a date, or of a duration before now. */
export function pastTime(value: string): number {
  return timeOf(value, -1)
}

function timeOf(value: string, direction: 1 | -1): number {
  if (isDate(value)) return Date.parse(value)
  try {
    return systemClock.now() + direction * parseDuration(value)
  } catch {
    throw new InvalidArgumentError(
      'It must be a date such as 2026-03-01 or 2026-03-01T09:00:00Z, or a duration such as 2h or 7d.',
    )
  }
}

function isDate(value: string): boolean {
  return DATE.test(value) && Number.isFinite(Date.parse(value)) && isCalendarDay(value.slice(0, 10))
}

/** The first line of a file, or of standard input for `-`. A password as an argument would show in the process list. */
export function passwordFrom(file: string | undefined): string | undefined {
  return file === undefined ? undefined : secretFrom(file, 'password')
}

/** Throws `UsageError` for an empty one. */
export function passphraseFrom(file: string | undefined): string | undefined {
  const passphrase = file === undefined ? undefined : secretFrom(file, 'passphrase')
  if (passphrase === '')
    throw new UsageError(`The first line of "${file}" is empty. It must be the passphrase.`)
  return passphrase
}

/** Throws `UsageError` for an empty one. */
export function requireSecret(file: string, what: 'password' | 'token'): string {
  const secret = secretFrom(file, what)
  if (!secret) throw new UsageError(`The ${what} file "${file}" is empty.`)
  return secret
}

function secretFrom(file: string, what: 'password' | 'passphrase' | 'token'): string | undefined {
  try {
    return readFileSync(file === '-' ? '/dev/stdin' : file, 'utf8').split(/\r?\n/)[0]
  } catch {
    throw new UsageError(`Can't read the ${what} file "${file}".`)
  }
}

/** For an option that can be repeated. */
export function collect(value: string, before: string[] = []): string[] {
  return [...before, value]
}
