import type { LookupFunction } from 'node:net'
import { answerLookup } from '../../network/checked-lookup.ts'
import { ConnectionError } from '../../network/connection-errors.ts'
import { type Agents, createAgents } from './connection.ts'
import { HttpPost, type PostRequest, type PostResult } from './http-post.ts'

// The thread that holds the connections to endpoints (post-thread.ts). The main thread resolves names, sends it the
// addresses it may connect to, and says when a post has timed out.

/** How long results wait to share a message, while their endpoints have this many posts waiting. */
const MAX_HELD_MS = 5
const ENOUGH_WAITING = 8
/**
 * A post that takes longer is overtaken by any number of later ones of its endpoint. Until then by fewer than may be in
 * progress, so that they arrive nearly in their order: on a new connection, a post takes many times as long.
 */
const OVERTAKEN_AFTER_MS = 200

interface Post {
  id: number
  request: PostRequest
  /** How many posts of its endpoint may be in progress, including it. It waits until it is one of them. */
  atOnce: number
  /** The main thread doesn't know when it starts. */
  isQueued: boolean
}

/** A message to the thread, as JSON. */
export interface CommandBatch {
  /** Wall clock of the main thread. */
  now: number
  commands: PostCommand[]
}

/** `start` comes first. */
export type PostCommand =
  | { kind: 'start'; ca: string | undefined }
  | { kind: 'post'; post: Post }
  | { kind: 'time_out'; id: number }
  /** Responds to a lookup. */
  | { kind: 'addresses'; id: number; addresses: string[] }
  | { kind: 'no_address'; id: number; reason: ConnectionError['reason']; message: string }
  /** Posts that wait are not sent. */
  | { kind: 'withdraw' }
  | { kind: 'interrupt' }

/** From the thread, several in a message. */
export type PostEvent =
  | { kind: 'lookup'; id: number; hostname: string }
  /** It was queued, and is in progress. */
  | { kind: 'started'; id: number; agoMs: number }
  /** The headers have just arrived, and the body has not. */
  | { kind: 'responded'; id: number }
  /** `tookMs`: of one whose start wasn't sent. */
  | { kind: 'ended'; id: number; result: PostResult; agoMs: number; tookMs?: number }
  /** It waited and was withdrawn, or another post of its endpoint failed. */
  | { kind: 'unsent'; id: number }

/** The posts of an endpoint. */
interface Lane {
  endpointId: string
  /** In the order in which they were started. */
  running: Map<number, RunningPost>
  waiting: Post[]
  /** How many were started. */
  started: number
  cancelTimer?: () => void
}

interface RunningPost {
  /** How many of its endpoint were started before. */
  place: number
  startedAt: number
}

const lanes = new Map<string, Lane>()
const posts = new Map<number, HttpPost>()
/** Those whose start is to be sent. */
const starts = new Map<number, RunningPost>()
const responded = new Set<number>()
const lookups = new Map<number, (found: string[] | ConnectionError) => void>()
let lastLookup = 0
let agents: Agents | undefined
/** The newest time of the main thread, and when it arrived. */
let mainClock = { now: 0, at: 0 }

let ended: { id: number; result: PostResult; at: number; tookMs?: number }[] = []
let others: PostEvent[] = []
let isUrgent = false
let isFlushScheduled = false
let flushTimer: ReturnType<typeof setTimeout> | undefined

/** A batch is one text, which costs less than a copy of its objects. */
addEventListener('message', ({ data }: MessageEvent<string>) => {
  const { now, commands }: CommandBatch = JSON.parse(data)
  mainClock = { now, at: performance.now() }
  for (const command of commands) handleCommand(command)
})

function handleCommand(command: PostCommand): void {
  switch (command.kind) {
    case 'start':
      agents = createAgents(command.ca)
      return
    case 'post':
      queue(command.post)
      return
    case 'time_out':
      posts.get(command.id)?.timeOut()
      return
    case 'addresses':
      endLookup(command.id, command.addresses)
      return
    case 'no_address':
      endLookup(command.id, new ConnectionError(command.reason, command.message))
      return
    case 'withdraw':
      for (const lane of lanes.values()) withdraw(lane)
      return
    case 'interrupt':
      for (const post of posts.values()) post.interrupt()
  }
}

function queue(post: Post): void {
  const { endpointId } = post.request
  const lane: Lane = lanes.get(endpointId) ?? { endpointId, running: new Map(), waiting: [], started: 0 }
  lanes.set(endpointId, lane)
  lane.waiting.push(post)
  startNext(lane)
}

function startNext(lane: Lane): void {
  lane.cancelTimer?.()
  for (let [next] = lane.waiting; next && mayStart(lane, next); [next] = lane.waiting) {
    lane.waiting.shift()
    start(lane, next)
  }
  if (lane.waiting.length === 0 && lane.running.size === 0 && lanes.get(lane.endpointId) === lane) {
    lanes.delete(lane.endpointId)
  }
}

function mayStart(lane: Lane, { atOnce }: Post): boolean {
  if (lane.running.size >= atOnce) return false
  const [oldest] = lane.running.values()
  if (!oldest || lane.started - oldest.place < atOnce) return true
  const wait = oldest.startedAt + OVERTAKEN_AFTER_MS - performance.now()
  if (wait <= 0) return true
  const timer = setTimeout(startNext, wait, lane)
  lane.cancelTimer = () => clearTimeout(timer)
  return false
}

function start(lane: Lane, { id, request, isQueued }: Post): void {
  if (!agents) throw new Error('The thread was not started.')
  const one = { place: lane.started, startedAt: performance.now() }
  lane.started++
  lane.running.set(id, one)
  if (isQueued) {
    starts.set(id, one)
    flushSoon()
  }
  const onResponse = () => {
    responded.add(id)
    flushSoon()
  }
  const onEnd = (result: PostResult) => {
    posts.delete(id)
    lane.running.delete(id)
    addEnded(id, result)
    if (result.outcome !== 'succeeded') withdraw(lane)
    // By then, the agent has its connection back.
    setImmediate(startNext, lane)
    isUrgent ||= lane.waiting.length < ENOUGH_WAITING
    flushSoon()
  }
  const now = mainClock.now + Math.floor(one.startedAt - mainClock.at)
  posts.set(id, new HttpPost({ agents, lookup }, request, now, { onResponse, onEnd }))
}

function addEnded(id: number, result: PostResult): void {
  const at = performance.now()
  const began = starts.get(id)
  ended.push({ id, result, at, ...(began && { tookMs: at - began.startedAt }) })
  starts.delete(id)
  responded.delete(id)
}

function withdraw(lane: Lane): void {
  for (const { id } of lane.waiting.splice(0)) addEvent({ kind: 'unsent', id })
}

/** Asks the main thread, which knows where connections may go. */
const lookup: LookupFunction = (hostname, options, call) => {
  lastLookup += 1
  lookups.set(lastLookup, (found) => {
    if (found instanceof ConnectionError) call(found, '', 0)
    else answerLookup(found, options, call)
  })
  addEvent({ kind: 'lookup', id: lastLookup, hostname })
}

function endLookup(id: number, found: string[] | ConnectionError): void {
  lookups.get(id)?.(found)
  lookups.delete(id)
}

function addEvent(event: PostEvent): void {
  others.push(event)
  isUrgent = true
  flushSoon()
}

/** Once for everything that happens in this turn of the event loop, or for more of it if nobody waits for that. */
function flushSoon(): void {
  if (isFlushScheduled) return
  isFlushScheduled = true
  setImmediate(() => {
    isFlushScheduled = false
    if (isUrgent || responded.size > 0) flush()
    else if (ended.length > 0 || starts.size > 0) flushTimer ??= setTimeout(flush, MAX_HELD_MS)
  })
}

function flush(): void {
  const now = performance.now()
  const all: PostEvent[] = others
  for (const [id, { startedAt }] of starts) all.push({ kind: 'started', id, agoMs: now - startedAt })
  for (const id of responded) all.push({ kind: 'responded', id })
  for (const { at, ...one } of ended) all.push({ kind: 'ended', ...one, agoMs: flushTimer ? now - at : 0 })
  postMessage(JSON.stringify(all))
  clearTimeout(flushTimer)
  flushTimer = undefined
  isUrgent = false
  others = []
  ended = []
  starts.clear()
  responded.clear()
}
