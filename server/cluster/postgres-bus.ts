import { SQL } from 'bun'
import { repeatEvery, systemClock, within } from '../clock.ts'
import { CHANNEL } from '../database/postgresql/postgres.ts'
import { StartError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Bus, Topic } from './bus.ts'

/** Commits within this time share a message: it is the only statement that no unit waits for. */
const COLLECT_MS = 10
const BEAT_EVERY_MS = 1_000
/** A node hears its own beats, so silence means that its connection is dead. That of another one means that its messages get lost. */
const MAX_SILENCE_MS = 2_000
/** Another node that is silent for so long is gone. */
const GONE_AFTER_MS = 10_000
/** While messages may be missed, everything is looked at this often. */
const LOOK_EVERY_MS = 500
const REPLACE_EVERY_MS = 5_000
/** What only its own node's work depends on: its commits are no news to others. */
const UNHEARD = ['search_index', 'search_documents', 'search_cursors', 'reaction_cursors']
const MAX_START_MS = 5_000
/** While so many messages wait for a database that doesn't answer, the others learn only that they have missed some. */
const MAX_UNSENT = 500
/** PostgreSQL's limit is 8,000 bytes. */
const MAX_BYTES = 7_900
/** More of them aren't named. */
const MAX_ORGANIZATIONS = 40
/** For the names of tables and organizations, and the rest of a message. */
const RESERVED_BYTES = 2_500

/** `number`: of the newest message of the node. A beat repeats it. */
interface Message {
  node: string
  number: number
  isBeat?: true
  /** The node leaves. */
  isLast?: true
  written?: string[]
  /** Whose rows were written; without them, anyone's. */
  orgs?: string[]
  parts?: [topic: Topic, text: string][]
}

interface Given {
  nodeId: string
  url: string
  /** Sends. Another connection than the one that listens. */
  client: SQL
  log: Log
  /** Tables that other nodes wrote, and whose rows; undefined: anything may have changed. */
  onWritten: (written?: ReadonlySet<string>, orgIds?: ReadonlySet<string>) => void
  /** The database's time in milliseconds since 1970, and the monotonic times before and after it was asked. */
  onTime: (time: number, askedAt: number, answeredAt: number) => void
}

interface PostgresBus extends Bus {
  stop(): Promise<void>
}

/**
 * Messages over NOTIFY. A NOTIFY holds a lock of the whole server through its commit, so it isn't part of any unit, and
 * doesn't wait for the disk or a standby. Throws `StartError` when what is sent doesn't arrive.
 */
export async function openPostgresBus({
  nodeId,
  url,
  client,
  log,
  onWritten,
  onTime,
}: Given): Promise<PostgresBus> {
  const { monotonic, after } = systemClock
  const listeners = new Map<Topic, Set<(text: string, nodeId: string) => void>>()
  const goneListeners = new Set<(nodeId: string) => void>()
  const missedListeners = new Set<() => void>()
  let written = new Set<string>()
  /** Undefined: anyone's rows. */
  let orgs: Set<string> | undefined = new Set()
  let parts: [Topic, string][] = []
  let number = 0
  let isCollecting = false
  let sending = Promise.resolve()
  let unsent = 0
  /** The other nodes: the number of the newest message if it is known, and when it came. */
  const others = new Map<string, { number: number | undefined; at: number }>()
  let heardAt = Number.NEGATIVE_INFINITY
  let isWhole = false
  let isStopped = false
  let replacedAt = monotonic()
  /** Whether nothing could be sent since then: what was connected meanwhile may stay dead. */
  let wasAway = false
  let listening = openListener()
  const first = Promise.withResolvers<void>()

  function openListener(): SQL {
    const own = new SQL(url, { max: 1 })
    const isCurrent = () => own === listening && !isStopped
    own
      .listen(
        CHANNEL,
        (text) => isCurrent() && receive(text),
        // What came before is missed.
        () => isCurrent() && becomeBroken(),
      )
      .catch((error) => isCurrent() && log.warn('bus_not_listening', { error }))
    return own
  }

  function receive(text: string): void {
    heardAt = monotonic()
    const message = readMessage(text)
    if (!message) {
      onWritten(undefined)
      return
    }
    if (message.node === nodeId) {
      first.resolve()
      if (message.isBeat) becomeWhole()
    } else if (message.isLast) forget(message.node)
    else receiveFrom(message)
  }

  function receiveFrom({
    node,
    number: theirs,
    isBeat,
    written: tables = [],
    orgs: named,
    parts: sent = [],
  }: Message): void {
    const before = others.get(node)?.number
    others.set(node, { number: theirs, at: heardAt })
    if (before === undefined) onWritten(undefined)
    else if (theirs !== (isBeat ? before : before + 1)) tellMissed()
    else if (tables.length > 0) onWritten(new Set(tables), named && new Set(named))
    for (const [topic, each] of sent) for (const call of listeners.get(topic) ?? []) call(each, node)
  }

  function tellMissed(): void {
    onWritten(undefined)
    for (const call of missedListeners) call()
  }

  function forget(node: string): void {
    if (others.delete(node)) for (const call of goneListeners) call(node)
  }

  function becomeWhole(): void {
    if (isWhole) return
    isWhole = true
    // No one could be heard.
    for (const other of others.values()) other.at = heardAt
    tellMissed()
  }

  function becomeBroken(): void {
    isWhole = false
    for (const other of others.values()) other.number = undefined
  }

  /** Returns whether messages of another node may be missing. */
  function isAnyoneSilent(): boolean {
    const silent = [...others].filter(([, { at }]) => monotonic() - at > MAX_SILENCE_MS)
    for (const [node, { at }] of silent) if (monotonic() - at > GONE_AFTER_MS) forget(node)
    return silent.length > 0
  }

  function flush(): void {
    isCollecting = false
    if (isStopped) return
    const tables = [...written]
    const named = orgs && orgs.size <= MAX_ORGANIZATIONS ? [...orgs] : undefined
    const left = parts
    written = new Set()
    orgs = new Set()
    parts = []
    let size = 0
    const some: [Topic, string][] = []
    const messages: Omit<Message, 'node' | 'number'>[] = []
    for (const part of left) {
      const bytes = Buffer.byteLength(JSON.stringify(part)) + 1
      if (size + bytes > MAX_BYTES - RESERVED_BYTES) {
        messages.push({ parts: some.splice(0) })
        size = 0
      }
      some.push(part)
      size += bytes
    }
    messages.push({
      ...(tables.length > 0 && { written: tables, ...(named && { orgs: named }) }),
      ...(some.length > 0 && { parts: some }),
    })
    for (const message of messages) {
      number += 1
      if (unsent < MAX_UNSENT) notify({ node: nodeId, number, ...message })
    }
  }

  function notify(message: Message): void {
    unsent += 1
    sending = sending.then(async () => {
      const askedAt = monotonic()
      try {
        const [row] = await client`select pg_notify(${CHANNEL}, ${JSON.stringify(message)}),
          set_config('synchronous_commit', 'off', true),
          extract(epoch from clock_timestamp())::float8 * 1000 as now`
        onTime(row.now, askedAt, monotonic())
        if (wasAway && !isStopped) replaceListener()
      } catch {
        // The next one shows that it is missing.
        wasAway = true
      } finally {
        unsent -= 1
      }
    })
  }

  function replaceListener(): void {
    replacedAt = monotonic()
    wasAway = false
    const old = listening
    listening = openListener()
    void old.close({ timeout: 0 }).catch(() => {})
  }

  function collect(): void {
    if (isCollecting || isStopped) return
    isCollecting = true
    after(COLLECT_MS, flush)
  }

  let isBeating = false
  const beating = repeatEvery(BEAT_EVERY_MS, systemClock, () => {
    if (isBeating) return
    isBeating = true
    notify({ node: nodeId, number, isBeat: true })
    void sending.then(() => {
      isBeating = false
    })
  })

  const watching = repeatEvery(LOOK_EVERY_MS, systemClock, () => {
    if (monotonic() - heardAt > MAX_SILENCE_MS) {
      if (isWhole) log.warn('bus_silent', { node: nodeId })
      becomeBroken()
      if (monotonic() - replacedAt > REPLACE_EVERY_MS) replaceListener()
    }
    if (!isWhole || isAnyoneSilent()) onWritten(undefined)
  })

  /** Others learn at once of what was said last: a node that leaves gives its partitions back. */
  async function stop(): Promise<void> {
    if (isCollecting) flush()
    isStopped = true
    await Promise.all([beating.stop(), watching.stop()])
    if (isWhole) notify({ node: nodeId, number, isLast: true })
    await sending
    await listening.close({ timeout: 0 })
  }

  notify({ node: nodeId, number, isBeat: true })
  const retry = repeatEvery(COLLECT_MS * 10, systemClock, () =>
    notify({ node: nodeId, number, isBeat: true }),
  )
  try {
    await within(MAX_START_MS, first.promise, () => {
      throw new StartError(
        'PostgreSQL notifications do not arrive. If PgBouncer is between, use its session mode: DATABASE_URL must not lead through transaction or statement mode.',
      )
    })
  } catch (error) {
    await stop()
    throw error
  } finally {
    void retry.stop()
  }

  return {
    announce(tables, orgIds) {
      const heard = [...tables].filter((table) => !UNHEARD.includes(table))
      if (heard.length === 0) return
      for (const table of heard) written.add(table)
      if (!orgIds) orgs = undefined
      for (const orgId of orgIds ?? []) orgs?.add(orgId)
      collect()
    },
    send(topic, text) {
      parts.push([topic, text])
      collect()
    },
    on(topic, call) {
      const calls = listeners.get(topic) ?? new Set()
      listeners.set(topic, calls)
      calls.add(call)
      return () => calls.delete(call)
    },
    onGone(call) {
      goneListeners.add(call)
      return () => goneListeners.delete(call)
    },
    onMissed(call) {
      missedListeners.add(call)
      return () => missedListeners.delete(call)
    },
    isWhole: () => isWhole,
    stop,
  }
}

/** Undefined for that of a command, which says only that something changed. */
function readMessage(text: string): Message | undefined {
  try {
    const message: Message = JSON.parse(text)
    return message
  } catch {
    return undefined
  }
}
