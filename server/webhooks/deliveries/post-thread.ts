import type { Clock } from '../../clock.ts'
import type { Log } from '../../log.ts'
import { ConnectionError } from '../../network/connection-errors.ts'
import { type PostRequest, type PostResult, withoutResponse } from './http-post.ts'
import type { CommandBatch, PostCommand, PostEvent } from './post-worker.ts'

/** A Worker without work is ended after this time, which frees its memory. */
const MAX_IDLE_MS = 60_000
/** For posts to end when they are interrupted. A Worker that takes longer hangs. */
const MAX_CLOSE_MS = 2_000
/** In the compiled program, the path of the entry point named in the build command. */
const WORKER = Bun.isStandaloneExecutable
  ? './webhooks/deliveries/post-worker.ts'
  : new URL('./post-worker.ts', import.meta.url).href

interface PostThreadOptions {
  clock: Clock
  log: Log
  /** For name, connection, TLS and response headers together. */
  timeoutMs: number
  /** PEM certificates to trust in addition to the system's. */
  ca: string | undefined
  /** The addresses of a host that may be connected to. Rejects with `ConnectionError`. */
  addressesOf(hostname: string): Promise<string[]>
}

/** `durationMs`: whole milliseconds until the response headers, or until it failed. */
export interface TimedResult {
  result: PostResult
  durationMs: number
}

interface PostThread {
  /**
   * Waits while `atOnce` posts of its endpoint are in progress. `unsent`: it waited when it was withdrawn, or when a post
   * of its endpoint failed. Never rejects: a failure is part of the result.
   */
  post(request: PostRequest, atOnce: number): Promise<TimedResult | 'unsent'>
  /** Posts that wait are not sent. */
  withdraw(): void
  /** Interrupts posts in progress, withdraws those that wait, and closes every connection. */
  close(): Promise<void>
}

interface Unfinished {
  endpointId: string
  /** Monotonic. Missing while it waits. */
  startedAt?: number
  respondedAt?: number
  settle(result: TimedResult | 'unsent'): void
}

/**
 * The connections to endpoints, in a Worker: TLS would take most of the main thread's time. It starts with the first
 * post, and after it failed with the next one. Posts that it was doing are interrupted.
 */
export function openPostThread({ clock, log, timeoutMs, ca, addressesOf }: PostThreadOptions): PostThread {
  /** By id. Ids are used again: a Map would keep memory (see run-attempts.ts). */
  const unfinished: (Unfinished | undefined)[] = []
  const freeIds: number[] = []
  /** How many of an endpoint are unfinished. */
  const sizes = new Map<string, number>()
  /** When their time is over. All have the same time, so the first one ends first. */
  const deadlines = new Map<number, number>()
  let worker: Worker | undefined
  let commands: PostCommand[] = []
  let cancelTimer: (() => void) | undefined
  let cancelIdleEnd = () => {}
  let onIdle = () => {}

  function post(request: PostRequest, atOnce: number): Promise<TimedResult | 'unsent'> {
    return new Promise((settle) => {
      const id = freeIds.pop() ?? unfinished.length
      const { endpointId } = request
      const others = sizes.get(endpointId) ?? 0
      const isQueued = others >= atOnce
      sizes.set(endpointId, others + 1)
      unfinished[id] = { endpointId, settle }
      addCommand({ kind: 'post', post: { id, request, atOnce, isQueued } })
      if (!isQueued) begin(id, clock.monotonic())
    })
  }

  function begin(id: number, startedAt: number): void {
    const one = unfinished[id]
    if (!one) return
    one.startedAt = startedAt
    deadlines.set(id, startedAt + timeoutMs)
    cancelTimer ??= clock.after(timeoutMs, endOverdue)
  }

  /** Commands of the same turn share a message, because a message costs more than its contents. */
  function addCommand(command: PostCommand): void {
    commands.push(command)
    if (commands.length === 1) queueMicrotask(sendCommands)
  }

  function sendCommands(): void {
    cancelIdleEnd()
    worker ??= startWorker()
    send(worker, commands)
    commands = []
  }

  function send(to: Worker, batch: PostCommand[]): void {
    const message: CommandBatch = { now: clock.now(), commands: batch }
    to.postMessage(JSON.stringify(message))
  }

  function startWorker(): Worker {
    const started = new Worker(WORKER)
    started.onmessage = ({ data }: MessageEvent<string>) => {
      if (started === worker) handleEvents(JSON.parse(data))
    }
    started.onerror = ({ message }) => fail(started, message)
    started.addEventListener('close', () => fail(started, 'The thread ended.'))
    send(started, [{ kind: 'start', ca }])
    return started
  }

  function handleEvents(events: PostEvent[]): void {
    for (const event of events) {
      if (event.kind === 'lookup') void answerLookup(event)
      else if (event.kind === 'ended') end(event)
      else if (event.kind === 'unsent') remove(event.id)?.settle('unsent')
      else if (event.kind === 'started') begin(event.id, clock.monotonic() - event.agoMs)
      else {
        const one = unfinished[event.id]
        if (one) one.respondedAt = clock.monotonic()
      }
    }
    if (unfinishedCount() > 0) return
    onIdle()
    cancelIdleEnd()
    cancelIdleEnd = clock.after(MAX_IDLE_MS, endWorker)
  }

  async function answerLookup({ id, hostname }: { id: number; hostname: string }): Promise<void> {
    const asked = worker
    const answer: PostCommand = await addressesOf(hostname).then(
      (addresses) => ({ kind: 'addresses', id, addresses }),
      (error) => {
        const { reason, message } = error instanceof ConnectionError ? error : new ConnectionError('dns', '')
        return { kind: 'no_address', id, reason, message }
      },
    )
    if (worker === asked) addCommand(answer)
  }

  function end({ id, result, agoMs, tookMs }: Omit<Extract<PostEvent, { kind: 'ended' }>, 'kind'>): void {
    const one = remove(id)
    if (!one) return
    const endedAt = one.respondedAt ?? clock.monotonic() - agoMs
    const durationMs = Math.round(tookMs ?? endedAt - (one.startedAt ?? endedAt))
    one.settle({ result, durationMs })
  }

  function remove(id: number): Unfinished | undefined {
    const one = unfinished[id]
    if (!one) return undefined
    unfinished[id] = undefined
    freeIds.push(id)
    deadlines.delete(id)
    const others = (sizes.get(one.endpointId) ?? 1) - 1
    if (others > 0) sizes.set(one.endpointId, others)
    else sizes.delete(one.endpointId)
    return one
  }

  function unfinishedCount(): number {
    return unfinished.length - freeIds.length
  }

  function endOverdue(): void {
    const now = clock.monotonic()
    cancelTimer = undefined
    for (const [id, deadline] of deadlines) {
      if (deadline > now) {
        cancelTimer = clock.after(deadline - now, endOverdue)
        return
      }
      deadlines.delete(id)
      addCommand({ kind: 'time_out', id })
    }
  }

  function fail(failed: Worker, message: string): void {
    if (worker !== failed) return
    endWorker()
    log.error('delivery_thread_failed', { error: message, interrupted: unfinishedCount() })
    for (const id of unfinished.keys()) end({ id, result: withoutResponse('interrupted', null), agoMs: 0 })
    onIdle()
  }

  function endWorker(): void {
    const ended = worker
    worker = undefined
    ended?.terminate()
  }

  function withdraw(): void {
    if (unfinishedCount() > 0) addCommand({ kind: 'withdraw' })
  }

  return {
    post,
    withdraw,
    async close() {
      if (unfinishedCount() > 0) {
        const idle = Promise.withResolvers<void>()
        onIdle = idle.resolve
        addCommand({ kind: 'withdraw' })
        addCommand({ kind: 'interrupt' })
        const cancelEnd = clock.after(MAX_CLOSE_MS, () => {
          if (worker) fail(worker, 'The thread did not respond.')
        })
        await idle.promise
        cancelEnd()
      }
      cancelTimer?.()
      cancelIdleEnd()
      endWorker()
    },
  }
}
