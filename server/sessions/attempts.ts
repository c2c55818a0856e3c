import { AppError } from '../errors.ts'

const WINDOW_MS = 900_000
/** Failures in the window. Many people may share an address, few mistype so often. */
const MOST_PER_ACCOUNT = 10
const MOST_PER_ADDRESS = 30
/** One after the other is checked: by then some have ended. */
const RETRY_AT_ONCE_SECONDS = 2
const GUESSED_WRONG = ['wrong_credentials', 'wrong_password', 'wrong_link', 'link_expired']
/** Beyond it, those that are over are forgotten before a new one is remembered. */
const SWEEP_AT = 10_000

/** Whose failures are counted: the account by name, and the address a request came from. */
export interface AttemptOf {
  account?: string
  address?: string
}

/**
 * What a success proves: all that is counted under its account, only a part of that, or a part while it failed for
 * another one. Whoever may choose the password of one part must get no more tries of the others by it.
 */
export type Proof = 'whole' | 'part' | 'failed_elsewhere'

/**
 * Failed attempts in an exact rolling window, in memory. One that is under way takes the place of a failure until it is
 * known, so that many at once get no more tries.
 */
export function createAttempts(now: () => number) {
  const failures = new Map<string, number[]>()
  const underWay = new Map<string, number>()

  /** Runs the attempt, or throws 429. A success forgives the account's failures when it proves the whole of it. */
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
    for (const { key } of counted) underWay.set(key, running(key) + 1)
    try {
      const value = await work()
      if (of.account !== undefined) settle(accountKey(of.account), proofOf(value))
      return value
    } catch (error) {
      if (isFailure(error)) for (const { key } of counted) remember(key, now())
      throw error
    } finally {
      for (const { key } of counted) hasEnded(key)
    }
  }

  function settle(key: string, proof: Proof): void {
    if (proof === 'whole') failures.delete(key)
    else if (proof === 'failed_elsewhere') remember(key, now())
  }

  function running(key: string): number {
    return underWay.get(key) ?? 0
  }

  function hasEnded(key: string): void {
    if (running(key) > 1) underWay.set(key, running(key) - 1)
    else underWay.delete(key)
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

/** Not what is only typed wrongly, nor what is our fault. */
function isFailure(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  const codes = [error.code, ...(error.more.errors ?? []).map(({ code }) => code)]
  return codes.some((code) => GUESSED_WRONG.includes(code))
}

function keysOf({ account, address }: AttemptOf): { key: string; most: number }[] {
  return [
    ...(account === undefined ? [] : [{ key: accountKey(account), most: MOST_PER_ACCOUNT }]),
    ...(address === undefined ? [] : [{ key: `address ${network(address)}`, most: MOST_PER_ADDRESS }]),
  ]
}

function accountKey(account: string): string {
  return `account ${account}`
}

/** Whoever has one address of IPv6 has the 2^64 beside it too. */
function network(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter(Boolean)
  const last = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - groups.length - last.length)).fill('0')
  return [...groups, ...zeros, ...last].slice(0, 4).join(':')
}

/** Until so many have left the window that one more is allowed; times are in order. */
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
  return new AppError(429, 'too_many_attempts', `Too many attempts failed. Try again in ${wait}.`, {
    headers: { 'retry-after': String(seconds) },
  })
}
