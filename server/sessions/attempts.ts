import { AppError } from '../errors.ts'
import { networkOf } from '../requests/address.ts'

const WINDOW_MS = 900_000
/**
 * Failures allowed in the window: for an account from one address, or on one of its known devices; for an account from
 * everywhere; and from an address, which many people may share. A stranger at one address can't keep the owner of an
 * account out. One at ten can, but never on a device where the owner has signed in before.
 */
const MAX_PER_PAIR = 10
const MAX_PER_ACCOUNT = 100
const MAX_PER_ADDRESS = 30
/** By then some of the running attempts have finished. */
const RETRY_AT_ONCE_SECONDS = 2
const FAILURE_CODES = ['wrong_credentials', 'wrong_password', 'wrong_link', 'link_expired']
/** Above this many keys, expired ones are removed before a new one is added. */
const SWEEP_AT = 10_000

/** What failures are counted by: the account's name and the IP address of the request. */
interface AttemptOf {
  account?: string
  address?: string
  /** A device where the account has signed in before. Only its own failures count. */
  device?: string
}

/**
 * What a success proves: the password of every agent counted under the account (`whole`), of some of them (`part`), or
 * of some while it was wrong for the one asked for (`failed_elsewhere`). Knowing one organization's password must not
 * allow more guesses in another.
 */
export type Proof = 'whole' | 'part' | 'failed_elsewhere'

/**
 * Counts failed attempts in an exact rolling window, in memory. A running attempt counts as a failure until its result
 * is known, so that concurrent attempts get no extra tries.
 */
export function createAttempts(now: () => number) {
  const failures = new Map<string, number[]>()
  const runningCounts = new Map<string, number>()

  /** Runs the attempt, or throws 429. A success that proves the whole account clears its failures from there. */
  async function limited<T>(
    of: AttemptOf,
    work: () => Promise<T>,
    proofOf: (value: T) => Proof = () => 'whole',
  ): Promise<T> {
    const counted = keysOf(of)
    const at = now()
    const waitMs = Math.max(...counted.map(({ key, most }) => waitOf(recent(key, at), most, at)))
    if (waitMs > 0) throw tooMany(waitMs)
    if (counted.some(({ key, most }) => recent(key, at).length + running(key) >= most)) throw tooManyAtOnce()
    for (const { key } of counted) runningCounts.set(key, running(key) + 1)
    try {
      const value = await work()
      if (of.account !== undefined) settle(counted, proofOf(value))
      return value
    } catch (error) {
      if (isFailure(error)) for (const { key } of counted) remember(key, now())
      throw error
    } finally {
      for (const { key } of counted) finish(key)
    }
  }

  function settle(counted: Counted[], proof: Proof): void {
    for (const { key, isOfAccount, isOfPlace } of counted) {
      if (proof === 'whole' && isOfAccount && isOfPlace) failures.delete(key)
      else if (proof === 'failed_elsewhere' && isOfAccount) remember(key, now())
    }
  }

  function running(key: string): number {
    return runningCounts.get(key) ?? 0
  }

  function finish(key: string): void {
    if (running(key) > 1) runningCounts.set(key, running(key) - 1)
    else runningCounts.delete(key)
  }

  function recent(key: string, at: number): number[] {
    return (failures.get(key) ?? []).filter((time) => time + WINDOW_MS > at)
  }

  function remember(key: string, at: number): void {
    if (failures.size >= SWEEP_AT && !failures.has(key)) sweep(at)
    failures.set(key, [...recent(key, at), at])
  }

  function sweep(at: number): void {
    for (const key of failures.keys()) if (recent(key, at).length === 0) failures.delete(key)
  }

  return { limited }
}

export type Attempts = ReturnType<typeof createAttempts>

/** Invalid input and server errors don't count. */
function isFailure(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  const codes = [error.code, ...(error.more.errors ?? []).map(({ code }) => code)]
  return codes.some((code) => FAILURE_CODES.includes(code))
}

interface Counted {
  key: string
  most: number
  isOfAccount: boolean
  /** Whether it is of one address or device. */
  isOfPlace: boolean
}

function keysOf({ account, address, device }: AttemptOf): Counted[] {
  const network = address === undefined ? undefined : networkOf(address)
  if (account === undefined) return network === undefined ? [] : [ofAddress(network)]
  const place = device === undefined ? network : `device ${device}`
  const own = {
    key: `account ${account} from ${place}`,
    most: MAX_PER_PAIR,
    isOfAccount: true,
    isOfPlace: true,
  }
  if (device !== undefined || network === undefined) return [own]
  const everywhere = { key: `account ${account}`, most: MAX_PER_ACCOUNT, isOfAccount: true, isOfPlace: false }
  return [own, everywhere, ofAddress(network)]
}

function ofAddress(network: string): Counted {
  return { key: `address ${network}`, most: MAX_PER_ADDRESS, isOfAccount: false, isOfPlace: true }
}

/** Milliseconds until enough failures have left the window to allow one more. `times` are in order. */
function waitOf(times: number[], most: number, at: number): number {
  const oldest = times[times.length - most]
  return oldest === undefined ? 0 : oldest + WINDOW_MS - at
}

function tooManyAtOnce(): AppError {
  const detail = 'Several attempts are being checked right now. Try again in a few seconds.'
  return new AppError(429, 'too_many_attempts', detail, {
    headers: { 'retry-after': String(RETRY_AT_ONCE_SECONDS) },
  })
}

function tooMany(waitMs: number): AppError {
  const seconds = Math.ceil(waitMs / 1_000)
  const minutes = Math.ceil(seconds / 60)
  const wait = minutes === 1 ? 'a minute' : `${minutes} minutes`
  return new AppError(429, 'too_many_attempts', `Too many failed attempts. Try again in ${wait}.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
