import { type Clock, systemClock } from '../clock.ts'
import { AppError } from '../errors.ts'
import { createAddressReader, networkOf, type Server } from './address.ts'
import { createRateLimiter } from './rolling-window.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Bytes of bodies being received from everyone with a key or a session, and from one of them. */
const MAX_KNOWN_BYTES = 48 * MIB
const MAX_BYTES_PER_CALLER = 12 * MIB
/** The same for everyone else, such as visitors of a website, and for one IP address. */
const MAX_UNKNOWN_BYTES = 32 * MIB
const MAX_BYTES_PER_ADDRESS = 4 * MIB
/**
 * Small bodies are limited by the number of connections, like headers, so that no one can keep others from signing in.
 */
const FREE_BYTES = 4 * KIB
/**
 * About how much of an upload is in memory at a time, because Bun holds back a sender that is faster than the disk. One
 * caller can send 48 files at once, as through a proxy with HTTP/2, and one address 16.
 */
const UPLOAD_BYTES = 256 * KIB
/** Enough for a body of 256 KiB at 9 kB/s. Uploads have their own limit: Bun requires 16 KiB in 30 s. */
const MAX_WAIT_MS = 30_000
const CHECK_EVERY_MS = 1_000
/** Refused bodies in 60 seconds of one network without a key or a session. Programs of ours send none. */
const REFUSALS_PER_NETWORK = 60
const SWEEP_EVERY_MS = 60_000

/** What Elysia and the guards know about a request whose body is about to be read. */
export interface Arriving {
  request: Request
  server: Server | null
  set: { headers: Record<string, unknown> }
  caller?: { keyId: string }
  me?: { sessionId: string }
  address?: string
}

interface Sender {
  id: string
  /** Whether they have a key or a session. */
  isKnown: boolean
}

interface Waiting {
  until: number
  giveUp(error: AppError): void
}

/**
 * Counts the bytes of bodies being received, so that slow clients can't fill the memory, and strangers can't take the
 * share of clients with a key.
 */
interface ArrivingBodies {
  addressOf: ReturnType<typeof createAddressReader>
  /**
   * Waits for a body of at most so many bytes. Throws 429 after too many refused ones, 503 when there are too many at the
   * same time, and 408 after 30 seconds.
   */
  receive<Body>(sender: Sender, bytes: number, read: () => Promise<Body>): Promise<Body>
  /** Counts them until the result is called. Throws 503. */
  admit(sender: Sender, bytes: number): () => void
  /** Counts a body that was received and is invalid. */
  countRefusal(sender: Sender): void
}

function createArrivingBodies(clock: Clock, trustedProxies: string[]): ArrivingBodies {
  const addressOf = createAddressReader(trustedProxies)
  const bytesOf = new Map<string, number>()
  const total = { known: 0, unknown: 0 }
  const waiting = new Set<Waiting>()
  let isChecking = false
  const refusals = createRateLimiter(clock.monotonic)
  let isSweeping = false

  /** Those with a key or a session have a rate limit of their own. */
  function countRefusal({ id, isKnown }: Sender): void {
    if (isKnown) return
    refusals.take(id, REFUSALS_PER_NETWORK)
    if (isSweeping) return
    isSweeping = true
    clock.after(SWEEP_EVERY_MS, () => {
      isSweeping = false
      refusals.sweep()
    })
  }

  function requireFewRefusals({ id }: Sender): void {
    const { isAllowed, resetMs } = refusals.look(id, REFUSALS_PER_NETWORK)
    if (isAllowed) return
    const seconds = Math.ceil(resetMs / 1_000)
    throw new AppError(429, 'rate_limited', `Too many invalid requests. Try again in ${seconds} s.`, {
      headers: { 'retry-after': String(seconds) },
    })
  }

  function admit({ id, isKnown }: Sender, bytes: number): () => void {
    const kind = isKnown ? 'known' : 'unknown'
    const own = bytesOf.get(id) ?? 0
    const isOver =
      own + bytes > (isKnown ? MAX_BYTES_PER_CALLER : MAX_BYTES_PER_ADDRESS) ||
      total[kind] + bytes > (isKnown ? MAX_KNOWN_BYTES : MAX_UNKNOWN_BYTES)
    if (isOver) throw tooBusy()
    bytesOf.set(id, own + bytes)
    total[kind] += bytes
    return () => {
      total[kind] -= bytes
      const left = (bytesOf.get(id) ?? 0) - bytes
      if (left > 0) bytesOf.set(id, left)
      else bytesOf.delete(id)
    }
  }

  async function receive<Body>(sender: Sender, bytes: number, read: () => Promise<Body>): Promise<Body> {
    requireFewRefusals(sender)
    const release = bytes > FREE_BYTES ? admit(sender, bytes) : undefined
    const { promise: tooLate, reject: giveUp } = Promise.withResolvers<never>()
    const one = { until: clock.monotonic() + MAX_WAIT_MS, giveUp }
    waiting.add(one)
    checkSoon()
    try {
      return await Promise.race([read(), tooLate])
    } finally {
      waiting.delete(one)
      release?.()
    }
  }

  /** One timer for all, because nearly every body arrives immediately. */
  function checkSoon(): void {
    if (isChecking) return
    isChecking = true
    clock.after(CHECK_EVERY_MS, () => {
      isChecking = false
      const now = clock.monotonic()
      for (const one of waiting) if (one.until <= now) one.giveUp(tooSlow())
      if (waiting.size > 0) checkSoon()
    })
  }

  return { addressOf, receive, admit, countRefusal }
}

const ofServers = new WeakMap<Server, ArrivingBodies>()
const withoutServer = createArrivingBodies(systemClock, [])

/** Sets up the counter of a server. */
export function countBodies(
  server: Server,
  { clock, trustProxy }: { clock: Clock; trustProxy: string[] },
): void {
  ofServers.set(server, createArrivingBodies(clock, trustProxy))
}

export function arrivingBodies(server: Server | null): ArrivingBodies {
  return (server && ofServers.get(server)) ?? withoutServer
}

/** Counts a body as refused. Returns the error to throw. */
export function refused(context: Arriving, error: AppError): AppError {
  arrivingBodies(context.server).countRefusal(senderOf(context))
  return error
}

/** Counts an upload until the end of the scope. Throws 503. */
export function admitUpload(context: Arriving): Disposable {
  return { [Symbol.dispose]: arrivingBodies(context.server).admit(senderOf(context), UPLOAD_BYTES) }
}

/** The key or session that the guards have accepted; otherwise, the network of the IP address. */
export function senderOf({ request, server, caller, me, address }: Arriving): Sender {
  const id = caller?.keyId ?? me?.sessionId
  if (id !== undefined) return { id, isKnown: true }
  return { id: networkOf(address ?? arrivingBodies(server).addressOf(request, server)), isKnown: false }
}

function tooSlow(): AppError {
  const seconds = MAX_WAIT_MS / 1_000
  return new AppError(408, 'body_timeout', `The body must arrive within ${seconds} seconds. Send it again.`, {
    headers: { connection: 'close' },
  })
}

function tooBusy(): AppError {
  return new AppError(503, 'too_many_bodies', 'Too many unfinished requests. Nothing changed. Try again.', {
    headers: { 'retry-after': '1', connection: 'close' },
  })
}
