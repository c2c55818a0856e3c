import type { Update } from '@grammyjs/types'
import type { Clock } from '../../../server/clock.ts'

/** Telegram forgets updates that no one fetched for a day. */
const KEPT_MS = 24 * 60 * 60_000
const MAX_LIMIT = 100

type NewUpdate = Omit<Update, 'update_id'> & { update_id?: number }

interface Queued {
  update: Update
  at: number
  deliveries: number
}

/** A program that waits in `getUpdates`. */
interface Poller {
  wake(): void
  /** Another request has taken its place. */
  terminate(): void
}

interface Webhook {
  url: string
  secret: string
  maxConnections: number
  lastErrorAt?: number
  lastError?: string
}

/** The updates of a bot that no one has confirmed yet, and who gets them. */
export class UpdateQueue {
  webhook: Webhook | undefined
  #queued: Queued[] = []
  #poller: Poller | undefined
  #onAdded = () => {}

  constructor(
    private readonly clock: Clock,
    private nextId: number,
    /** How often each update is delivered. */
    private readonly deliveries: number,
  ) {}

  /** After a quiet week, ids start over at random. */
  restartIdsAt(id: number): void {
    this.nextId = id
  }

  add(given: NewUpdate): Update {
    const update = { ...given, update_id: given.update_id ?? this.nextId }
    this.nextId = update.update_id + 1
    this.#queued.push({ update, at: this.clock.now(), deliveries: 0 })
    this.#poller?.wake()
    this.#onAdded()
    return update
  }

  get size(): number {
    this.#forgetOld()
    return this.#queued.length
  }

  clear(): void {
    this.#queued = []
  }

  /** Called for each new update; for the webhook. */
  onAdded(call: () => void): void {
    this.#onAdded = call
  }

  /** Whether a program waits for updates. */
  get isPolled(): boolean {
    return this.#poller !== undefined
  }

  /** Takes the place of the program that waits. */
  takeOver(poller: Poller): void {
    this.#poller?.terminate()
    this.#poller = poller
  }

  leave(poller: Poller): void {
    if (this.#poller === poller) this.#poller = undefined
  }

  /**
   * What `getUpdates` answers. Updates below a positive offset are confirmed: they are forgotten, once they were delivered
   * as often as wanted. A negative one keeps only that many of the newest.
   */
  read(offset: number, limit: number): Update[] {
    this.#forgetOld()
    if (offset < 0) this.#queued = this.#queued.slice(offset)
    else if (offset > 0) {
      this.#queued = this.#queued.filter(
        ({ update, deliveries }) =>
          update.update_id >= offset || (deliveries > 0 && deliveries < this.deliveries),
      )
    }
    const some = this.#queued.slice(0, Math.min(Math.max(limit, 1), MAX_LIMIT))
    for (const queued of some) queued.deliveries += 1
    return some.map(({ update }) => update)
  }

  /** The oldest update, for the webhook. */
  peek(): Update | undefined {
    this.#forgetOld()
    return this.#queued[0]?.update
  }

  /** The oldest update was taken. */
  shift(): void {
    const [first] = this.#queued
    if (!first) return
    first.deliveries += 1
    if (first.deliveries >= this.deliveries) this.#queued.shift()
  }

  #forgetOld(): void {
    const oldest = this.clock.now() - KEPT_MS
    this.#queued = this.#queued.filter(({ at }) => at >= oldest)
  }
}
