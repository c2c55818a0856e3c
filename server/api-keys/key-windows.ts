import { isStorageFault, type Transaction } from '../database/database.ts'
import type { Counted } from '../database/tables/cluster.ts'
import type { Deps } from '../deps.ts'
import { type Allowance, WINDOW_MS } from '../requests/rolling-window.ts'
import { lockWindow, saveWindow } from '../requests/stored-windows.ts'

/** How long a node may accept requests from a block. Until it is returned, all of them count from its end. */
const BLOCK_MS = 1_000
/** What is left of a limit is taken in so many blocks by each node, and at the end one by one. */
const BLOCKS_PER_NODE = 8
const ONE_BY_ONE_BELOW = 1 / 4
/** For so long, a node refuses requests without asking again. */
const REFUSE_MS = 250
/** How far the clocks of two nodes may be apart, and how long a commit usually takes. */
const MAX_LATE_MS = 50
/** With a higher limit, requests count together, each for a little longer. */
const MAX_EXACT_LIMIT = 300
const GRAIN_MS = 100
const ID_BYTES = 6

interface KeyLimiter {
  /** Counts a request if the limit allows it. */
  take(key: string, limit: number): Allowance | Promise<Allowance>
  /** Returns a key's allowance without counting a request. */
  look(key: string, limit: number): Allowance | Promise<Allowance>
  /** Forgets the newest request of a key, which was counted and then refused. */
  giveBack(key: string, limit: number): Allowance
  sweep(): void
  stop(): Promise<void>
}

/** Requests that a node may accept. */
interface Block {
  id: string
  accepted: number
  /** When the last one was. */
  lastAt: number
}

interface Waiting {
  isCounted: boolean
  resolve(allowance: Allowance): void
  reject(reason: unknown): void
}

/** What this node knows of a key. Times but `lastAt` and `oldestAt` are of the monotonic clock. */
interface Window {
  limit: number
  block: Block | undefined
  /** How many requests it may still accept from its block, and until when. */
  left: number
  endsAt: number
  /** When it asked last, and how many requests it had accepted since the time before. */
  askedAt: number
  pace: number
  /** What is left of the limit without the block. */
  outside: number
  /** Since when the oldest request counts. */
  oldestAt: number | undefined
  refusedUntil: number
  /** Until then, the rest is recent. */
  knownUntil: number
  waiting: Waiting[]
  isAsking: boolean
  cancelReturn(): void
}

/**
 * The requests with each key in a rolling window that all nodes of a cluster share. A node takes a block of what is left of
 * the limit, so that most requests cost no statement, and returns what it didn't need. Together they never accept more than
 * the limit in any 60 seconds. A node may refuse a request although another one has some left, for about a second.
 */
export function createKeyWindows(deps: Deps): KeyLimiter {
  const { clock, database } = deps
  const node = Buffer.from(deps.randomBytes(ID_BYTES)).toString('base64url')
  const windows = new Map<string, Window>()
  let blocks = 0

  function windowOf(key: string, limit: number): Window {
    const window = windows.get(key) ?? newWindow(limit)
    windows.set(key, window)
    window.limit = limit
    return window
  }

  function canAccept({ left, endsAt }: Window, wanted: number): boolean {
    return wanted > 0 && left >= wanted && clock.monotonic() < endsAt
  }

  function accept(window: Window): Allowance {
    window.left -= 1
    const now = clock.now()
    if (window.block) {
      window.block.accepted += 1
      window.block.lastAt = now
    }
    window.oldestAt ??= now
    return allowanceOf(window, true)
  }

  function allowanceOf({ limit, left, outside, oldestAt }: Window, isAllowed: boolean): Allowance {
    const resetMs = oldestAt === undefined ? 0 : Math.max(0, oldestAt + WINDOW_MS - clock.now())
    const remaining = Math.min(limit, left + outside)
    // What another node may still accept counts from a time to come.
    return { isAllowed, limit, remaining, resetMs: isAllowed ? Math.min(resetMs, WINDOW_MS) : resetMs }
  }

  function wait(key: string, window: Window, isCounted: boolean): Promise<Allowance> {
    return new Promise((resolve, reject) => {
      window.waiting.push({ isCounted, resolve, reject })
      void askWhileWaited(key, window)
    })
  }

  async function askWhileWaited(key: string, window: Window): Promise<void> {
    if (window.isAsking) return
    window.isAsking = true
    while (window.waiting.length > 0) {
      const all = window.waiting.splice(0)
      try {
        const wanted = all.filter(({ isCounted }) => isCounted).length
        // Those that came while it asked share the block that it got.
        if (!canAccept(window, wanted)) await ask(key, window, wanted)
        for (const one of all) answer(window, one)
      } catch (error) {
        // Nothing can be read or changed meanwhile, and the request says so itself.
        if (isStorageFault(error)) for (const { resolve } of all) resolve(allowanceOf(window, true))
        else for (const { reject } of all) reject(error)
      }
      scheduleReturn(key, window)
    }
    window.isAsking = false
  }

  function answer(window: Window, { isCounted, resolve }: Waiting): void {
    if (!isCounted) resolve(allowanceOf(window, window.left + window.outside > 0))
    else resolve(window.left > 0 ? accept(window) : allowanceOf(window, false))
  }

  /** Returns what wasn't needed of the last block, and takes the next one for at least `wanted` requests, if so many are left. */
  async function ask(key: string, window: Window, wanted: number): Promise<void> {
    window.cancelReturn()
    const last = window.block
    window.block = undefined
    window.left = 0
    const now = clock.monotonic()
    if (last) window.pace = now - window.askedAt < 2 * BLOCK_MS ? last.accepted : 0
    if (wanted > 0) window.askedAt = now
    const taken = await database.write(undefined, (tx) => take(tx, key, { window, last, wanted }))
    Object.assign(window, taken)
  }

  async function take(
    tx: Transaction,
    key: string,
    { window: { limit, pace }, last, wanted }: { window: Window; last: Block | undefined; wanted: number },
  ): Promise<
    Pick<Window, 'left' | 'outside' | 'endsAt' | 'block' | 'oldestAt' | 'refusedUntil' | 'knownUntil'>
  > {
    const name = `key ${key}`
    const asked = clock.now()
    const known = await lockWindow(tx, name, { now: asked, after: asked - WINDOW_MS - MAX_LATE_MS })
    // Another node may have held the lock for a while.
    const [now, monotonic] = [clock.now(), clock.monotonic()]
    const since = now - WINDOW_MS
    const nodes = new Set([node, ...known.map(({ id }) => id.split(' ')[0])]).size
    const lateMs = nodes > 1 ? MAX_LATE_MS : 0
    const counted = withResult(known, last, limit).filter(({ at }) => at > since - lateMs)
    const left = Math.max(0, limit - total(counted))
    const most = left < limit * ONE_BY_ONE_BELOW ? 0 : Math.ceil(left / (BLOCKS_PER_NODE * nodes))
    const size = Math.min(left, Math.max(wanted, wanted > 0 ? Math.min(most, 2 * pace) : 0))
    const oldestAt = oldestOf(counted, limit)
    const id = `${node} ${blocks}`
    blocks += 1
    const isOpen = size > wanted
    if (size > 0) counted.push({ id, at: isOpen ? now + BLOCK_MS : now, count: size, isOpen })
    await saveWindow(tx, name, { counted, windowMs: WINDOW_MS + MAX_LATE_MS })
    const isRefused = wanted > size && oldestAt !== undefined
    return {
      left: size,
      outside: left - size,
      endsAt: monotonic + (isOpen ? BLOCK_MS : MAX_LATE_MS),
      block: size > 0 ? { id, accepted: 0, lastAt: now } : undefined,
      oldestAt: isRefused ? oldestAt + lateMs : oldestAt,
      refusedUntil: isRefused ? monotonic + Math.min(REFUSE_MS, oldestAt + lateMs - since) : 0,
      knownUntil: monotonic + BLOCK_MS,
    }
  }

  /** With what a block was used for in the end. */
  function withResult(known: Counted[], last: Block | undefined, limit: number): Counted[] {
    if (!last) return known
    const others = known.filter(({ id }) => id !== last.id)
    if (others.length === known.length || last.accepted <= 0) return others
    const at = limit > MAX_EXACT_LIMIT ? Math.ceil(last.lastAt / GRAIN_MS) * GRAIN_MS : last.lastAt
    const id = `${node} at ${at}`
    const same = others.find((one) => one.id === id)
    if (same) same.count += last.accepted
    else others.push({ id, at, count: last.accepted, isOpen: false })
    return others
  }

  /** Now, if it was used longer than others think, or else when it ends, if something is left of it. */
  function scheduleReturn(key: string, window: Window): void {
    window.cancelReturn()
    const waitMs = window.endsAt - clock.monotonic()
    if (!window.block || (window.left === 0 && waitMs > 0)) return
    window.cancelReturn = clock.after(Math.max(0, waitMs), () => void returnBlock(key, window))
  }

  async function returnBlock(key: string, window: Window): Promise<void> {
    if (window.isAsking || !window.block) return
    window.isAsking = true
    try {
      await ask(key, window, 0)
    } catch (error) {
      deps.log.warn('requests_not_returned', { key, error })
    } finally {
      window.isAsking = false
      void askWhileWaited(key, window)
    }
  }

  return {
    take(key, limit) {
      const window = windowOf(key, limit)
      const now = clock.monotonic()
      if (canAccept(window, 1)) return accept(window)
      return now < window.refusedUntil ? allowanceOf(window, false) : wait(key, window, true)
    },
    look(key, limit) {
      const window = windowOf(key, limit)
      const isKnown = clock.monotonic() < window.knownUntil && !window.isAsking
      return isKnown ? allowanceOf(window, window.left + window.outside > 0) : wait(key, window, false)
    },
    giveBack(key, limit) {
      const window = windowOf(key, limit)
      if (window.block && window.block.accepted > 0) {
        window.block.accepted -= 1
        window.outside += 1
        window.refusedUntil = 0
        window.endsAt = Math.min(window.endsAt, clock.monotonic() + MAX_LATE_MS)
        scheduleReturn(key, window)
      }
      return allowanceOf(window, true)
    },
    sweep() {
      const before = clock.monotonic() - WINDOW_MS
      for (const [key, { isAsking, left, askedAt }] of windows) {
        if (!isAsking && left === 0 && askedAt < before) windows.delete(key)
      }
    },
    async stop() {
      const open = [...windows].filter(([, { left }]) => left > 0)
      for (const [, { cancelReturn }] of windows) cancelReturn()
      await Promise.all(open.map(([key, window]) => returnBlock(key, window)))
    },
  }
}

function newWindow(limit: number): Window {
  return {
    limit,
    block: undefined,
    left: 0,
    endsAt: 0,
    askedAt: Number.NEGATIVE_INFINITY,
    pace: 0,
    outside: limit,
    oldestAt: undefined,
    refusedUntil: 0,
    knownUntil: 0,
    waiting: [],
    isAsking: false,
    cancelReturn() {},
  }
}

function total(counted: Counted[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0)
}

/** Since when the request counts that must leave the window before another one is allowed. */
function oldestOf(counted: Counted[], limit: number): number | undefined {
  let excess = total(counted) - limit + 1
  for (const { at, count } of counted.toSorted((one, other) => one.at - other.at)) {
    excess -= count
    if (excess <= 0) return at
  }
  return undefined
}
