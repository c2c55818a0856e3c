import type { LookupFunction } from 'node:net'
import { answerLookup } from '../../network/checked-lookup.ts'
import { ConnectionError } from '../../network/connection-errors.ts'
import { type Agents, createAgents } from './connection.ts'
import { HttpPost, type PostRequest, type PostResult } from './http-post.ts'

// The thread that holds the connections to endpoints (post-thread.ts). It has no clock and resolves no names: it is told
// what to post, when the time of a post is over, and the addresses it may connect to.

/** What the thread is told, in batches. `start` comes first. */
export type PostCommand =
  | { kind: 'start'; ca: string | undefined }
  | { kind: 'post'; id: number; request: PostRequest }
  | { kind: 'time_out'; id: number }
  /** Responds to a lookup. */
  | { kind: 'addresses'; id: number; addresses: string[] }
  | { kind: 'no_address'; id: number; reason: ConnectionError['reason']; message: string }
  /** Interrupts every post. */
  | { kind: 'close' }

/** What the thread tells, in batches. */
export type PostEvent =
  | { kind: 'lookup'; id: number; hostname: string }
  /** The headers have arrived, and the body has not. */
  | { kind: 'responded'; id: number }
  | { kind: 'ended'; id: number; result: PostResult }

const posts = new Map<number, HttpPost>()
const responded = new Set<number>()
const lookups = new Map<number, (found: string[] | ConnectionError) => void>()
let events: PostEvent[] = []
let isTelling = false
let lastLookup = 0
let agents: Agents | undefined

/** A batch is one text, which costs less than a copy of its objects. */
addEventListener('message', ({ data }: MessageEvent<string>) => {
  const commands: PostCommand[] = JSON.parse(data)
  for (const command of commands) obey(command)
})

function obey(command: PostCommand): void {
  switch (command.kind) {
    case 'start':
      agents = createAgents(command.ca)
      return
    case 'post':
      start(command.id, command.request)
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
    case 'close':
      for (const post of posts.values()) post.interrupt()
  }
}

function start(id: number, request: PostRequest): void {
  if (!agents) throw new Error('The thread was not started.')
  const onResponse = () => {
    responded.add(id)
    tellSoon()
  }
  const onEnd = (result: PostResult) => {
    posts.delete(id)
    responded.delete(id)
    events.push({ kind: 'ended', id, result })
    tellSoon()
  }
  posts.set(id, new HttpPost({ agents, lookup }, request, { onResponse, onEnd }))
}

/** Asks the main thread, which knows where connections may go. */
const lookup: LookupFunction = (hostname, options, call) => {
  lastLookup += 1
  lookups.set(lastLookup, (found) => {
    if (found instanceof ConnectionError) call(found, '', 0)
    else answerLookup(found, options, call)
  })
  events.push({ kind: 'lookup', id: lastLookup, hostname })
  tellSoon()
}

function endLookup(id: number, found: string[] | ConnectionError): void {
  lookups.get(id)?.(found)
  lookups.delete(id)
}

/** Once for everything that happens in this turn of the event loop. */
function tellSoon(): void {
  if (isTelling) return
  isTelling = true
  setImmediate(() => {
    isTelling = false
    for (const id of responded) events.push({ kind: 'responded', id })
    responded.clear()
    if (events.length > 0) postMessage(JSON.stringify(events))
    events = []
  })
}
