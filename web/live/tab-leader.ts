import { openStream, type Stream, type Told } from './event-source.ts'

// A browser opens six connections to a server at most: with a stream for each tab, the seventh tab would hang. So one
// tab, the leader, has the stream, and tells the others.

const NAME = 'bellhop-live'
/** A leader that does not answer so long is stuck: another tab takes its place. */
const LONGEST_ANSWER_MS = 3_000

export type LinkState = 'online' | 'offline' | 'connecting'

type Note =
  | { kind: 'told'; told: Told }
  | { kind: 'state'; state: LinkState; picture: Told | undefined }
  | { kind: 'ask' }
  | { kind: 'hurry' | 'doubt' }

interface Listener {
  told(told: Told): void
  state(state: LinkState): void
}

/** The stream of this tab, or its part of another tab's. */
type SharedStream = Pick<Stream, 'hurry' | 'doubt'>

export function shareStream(pageId: string, on: Listener): SharedStream {
  // Only on https and localhost do tabs have locks to agree by.
  return 'locks' in navigator ? shareByLock(pageId, on) : streamWhileVisible(pageId, on)
}

function shareByLock(pageId: string, on: Listener): SharedStream {
  const channel = new BroadcastChannel(NAME)
  let stream: Stream | undefined
  let state: LinkState = 'connecting'
  let last: number | undefined
  let picture: Told | undefined
  let patience: ReturnType<typeof setTimeout> | undefined

  function take(told: Told): void {
    last = told.number ?? last
    if (told.event === 'presence') picture = told
    on.told(told)
  }

  function become(next: LinkState): void {
    state = next
    on.state(next)
  }

  function tell(note: Note): void {
    channel.postMessage(note)
  }

  function lead(): Promise<void> {
    clearTimeout(patience)
    stream = openStream(pageId, last, {
      event(told) {
        take(told)
        tell({ kind: 'told', told })
        if (told.event === 'hello') announce('online')
      },
      lost: () => announce('offline'),
    })
    // The lock is held until this tab closes, or another one takes it.
    return new Promise(() => {})
  }

  function announce(next: LinkState): void {
    become(next)
    tell({ kind: 'state', state: next, picture })
  }

  function follow(isImpatient: boolean): void {
    navigator.locks.request(NAME, { steal: isImpatient }, lead).catch((error: unknown) => {
      stream?.close()
      stream = undefined
      const name = error instanceof DOMException ? error.name : ''
      // A page that is being left gets no lock: asking at once would never end. The way back may show it again.
      if (name === 'AbortError') follow(false)
      else if (name === 'InvalidStateError') addEventListener('pageshow', () => follow(false), { once: true })
      else setTimeout(() => follow(false), LONGEST_ANSWER_MS)
    })
  }

  function askLeader(note: Note): void {
    if (stream) return
    tell(note)
    clearTimeout(patience)
    patience = setTimeout(() => follow(true), LONGEST_ANSWER_MS)
  }

  channel.onmessage = ({ data: note }: MessageEvent<Note>) => {
    clearTimeout(patience)
    if (stream && (note.kind === 'hurry' || note.kind === 'doubt')) stream[note.kind]()
    if (stream) return note.kind === 'told' || note.kind === 'state' ? undefined : announce(state)
    if (note.kind === 'told') take(note.told)
    if (note.kind !== 'state') return
    if (note.picture) take(note.picture)
    become(note.state)
  }
  follow(false)
  askLeader({ kind: 'ask' })
  return {
    hurry: () => (stream ? stream.hurry() : askLeader({ kind: 'hurry' })),
    doubt: () => (stream ? stream.doubt() : askLeader({ kind: 'doubt' })),
  }
}

/** Without locks: a stream for each tab that is looked at. One that comes back is told what it missed. */
function streamWhileVisible(pageId: string, on: Listener): SharedStream {
  let stream: Stream | undefined
  let last: number | undefined

  function open(): void {
    stream ??= openStream(pageId, last, {
      event(told) {
        last = told.number ?? last
        on.told(told)
        if (told.event === 'hello') on.state('online')
      },
      lost: () => on.state('offline'),
    })
  }

  function look(): void {
    if (!document.hidden) open()
    else {
      stream?.close()
      stream = undefined
    }
  }

  document.addEventListener('visibilitychange', look)
  open()
  return { hurry: () => stream?.hurry(), doubt: () => stream?.doubt() }
}
