import type { Transaction } from '../database/database.ts'
import type { Counted } from '../database/tables/cluster.ts'
import type { Deps } from '../deps.ts'
import { AppError } from '../errors.ts'
import { networkOf } from '../requests/address.ts'
import { lockWindow, saveWindow } from '../requests/stored-windows.ts'

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
/** One that runs longer was on a server that was killed, and counts as failed. */
const MAX_RUNNING_MS = 60_000
const ID_BYTES = 9

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

/** What became of an attempt; `nothing` for one that was neither right nor wrong, such as invalid input. */
type Result = Proof | 'failed' | 'nothing'

/**
 * Counts failed attempts in an exact rolling window, in rows that all nodes share. A running attempt counts as a failure
 * until its result is known, so that concurrent attempts get no extra tries.
 */
export function createAttempts(deps: Deps) {
  const { database, clock, encryption } = deps

  /** Runs the attempt, or throws 429. A success that proves the whole account clears its failures from there. */
  async function limited<T>(
    of: AttemptOf,
    work: () => Promise<T>,
    proofOf: (value: T) => Proof = () => 'whole',
  ): Promise<T> {
    const limits = keysOf(of)
      .map((one) => ({ ...one, key: `attempts ${encryption.sign('sign-in attempts', one.key)}` }))
      .sort((one, other) => (one.key < other.key ? -1 : 1))
    const id = Buffer.from(deps.randomBytes(ID_BYTES)).toString('base64url')
    const refusal = await begin(limits, id)
    if (refusal) throw refusal
    let result: Result = 'nothing'
    try {
      const value = await work()
      if (of.account !== undefined) result = proofOf(value)
      return value
    } catch (error) {
      if (isFailure(error)) result = 'failed'
      throw error
    } finally {
      await finish(limits, id, result)
    }
  }

  function begin(limits: Limit[], id: string): Promise<AppError | undefined> {
    return database.write(undefined, async (tx) => {
      const at = clock.now()
      const windows = new Map<Limit, Counted[]>()
      for (const one of limits) windows.set(one, await attemptsOf(tx, one.key, at))
      const waitMs = Math.max(...[...windows].map(([{ most }, own]) => waitOf(failuresOf(own, at), most, at)))
      const isFull = [...windows].some(([{ most }, own]) => own.length >= most)
      const refusal = waitMs > 0 ? tooMany(waitMs) : isFull ? tooManyAtOnce() : undefined
      const added = refusal ? [] : [{ id, at, count: 1, isOpen: true }]
      // Also when it is refused: otherwise, each name that a stranger makes up would leave a row.
      for (const [{ key }, own] of windows) await save(tx, key, [...own, ...added])
      return refusal
    })
  }

  /** If that fails, the attempt counts as failed. */
  async function finish(limits: Limit[], id: string, result: Result): Promise<void> {
    const finished = database.write(undefined, async (tx) => {
      const at = clock.now()
      for (const one of limits) {
        const others = (await attemptsOf(tx, one.key, at)).filter((attempt) => attempt.id !== id)
        await save(tx, one.key, settled(one, others, { id, at, result }))
      }
    })
    await finished.catch((error: unknown) => deps.log.warn('attempt_not_counted', { error }))
  }

  function attemptsOf(tx: Transaction, key: string, now: number): Promise<Counted[]> {
    return lockWindow(tx, key, { now, after: now - WINDOW_MS })
  }

  function save(tx: Transaction, key: string, counted: Counted[]): Promise<void> {
    return saveWindow(tx, key, { counted, windowMs: WINDOW_MS })
  }

  return { limited }
}

function settled(
  { isOfAccount, isOfPlace }: Limit,
  others: Counted[],
  { id, at, result }: { id: string; at: number; result: Result },
): Counted[] {
  const failure = { id, at, count: 1, isOpen: false }
  if (result === 'failed') return [...others, failure]
  if (result === 'failed_elsewhere' && isOfAccount) return [...others, failure]
  if (result === 'whole' && isOfAccount && isOfPlace) return others.filter(({ isOpen }) => isOpen)
  return others
}

/** When attempts failed, oldest first. */
function failuresOf(own: Counted[], at: number): number[] {
  const failed = own.filter((one) => !one.isOpen || one.at + MAX_RUNNING_MS <= at)
  return failed.map((one) => one.at).sort((one, other) => one - other)
}

export type Attempts = ReturnType<typeof createAttempts>

/** Invalid input and server errors don't count. */
function isFailure(error: unknown): boolean {
  if (!(error instanceof AppError)) return false
  const codes = [error.code, ...(error.more.errors ?? []).map(({ code }) => code)]
  return codes.some((code) => FAILURE_CODES.includes(code))
}

interface Limit {
  key: string
  most: number
  isOfAccount: boolean
  /** Whether it is of one address or device. */
  isOfPlace: boolean
}

function keysOf({ account, address, device }: AttemptOf): Limit[] {
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

function ofAddress(network: string): Limit {
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
