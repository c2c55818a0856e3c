import type { Clock } from '../../../clock.ts'
import type { ParseRequest, WorkerMessage } from './mail-worker.ts'
import type { HtmlOmission, ParsedMail, ParseResult } from './parsed-mail.ts'

/** Time for one mail. A mail of 25 MB takes a fraction of a second. */
const MAX_PARSE_MS = 5_000
/** A Worker without work is ended after this time, which frees its memory. */
const MAX_IDLE_MS = 60_000
/** In the compiled program, the path of the entry point named in the build command. */
const WORKER = Bun.isStandaloneExecutable
  ? './channels/email/parse/mail-worker.ts'
  : new URL('./mail-worker.ts', import.meta.url).href

export interface MailParser {
  /**
   * Reads a raw mail outside the main thread. Mailboxes share the time fairly: one whose mails take long waits for itself,
   * not the others. Rejects when a file can't be read or written or the Worker doesn't start: the mail may be fine, so try
   * again later.
   */
  parse(request: ParseRequest, mailboxId?: string): Promise<ParseResult>
  /** Ends the Workers. Mails that are being read or waiting are rejected. */
  stop(): void
}

/** A Worker that said it is ready. */
interface RunningWorker {
  /** Asks for one mail. The Worker can be asked again when `isReusable` is true. */
  ask(request: ParseRequest): Reading['read']
  end(): void
}

/** Time that a mailbox can use before its mails go to the second Worker. Half of what it used is forgotten each minute. */
const SHARE_MS = 1_000
const FORGOTTEN_MS = 60_000
/** A mail that waits for longer, because of one that takes long, goes to the second Worker too. */
const PATIENCE_MS = 250

interface WaitingMail {
  request: ParseRequest
  mailboxId: string
  resolve: (result: ParseResult) => void
  reject: (error: Error) => void
}

/**
 * Reads mails in two Workers, which start with their first mail. Mailboxes that used up their share have only the second
 * one, so the first one is free for the others. A mail that takes too long costs its Worker, not the program.
 */
export function createMailParser({ clock }: { clock: Clock }): MailParser {
  const [first, second] = [createReader(clock), createReader(clock)]
  const used = new Map<string, { ms: number; at: number }>()
  let waiting: WaitingMail[] = []
  let cancelLook = () => {}
  let isStopped = false

  function usedBy(mailboxId: string): number {
    const { ms = 0, at = 0 } = used.get(mailboxId) ?? {}
    return ms * 0.5 ** ((clock.monotonic() - at) / FORGOTTEN_MS)
  }

  function assign(): void {
    cancelLook()
    if (!first.isBusy())
      start(
        first,
        next(({ mailboxId }) => usedBy(mailboxId) < SHARE_MS),
      )
    const isSlow = first.busyFor() >= PATIENCE_MS
    if (!second.isBusy())
      start(
        second,
        next(({ mailboxId }) => isSlow || usedBy(mailboxId) >= SHARE_MS),
      )
    if (waiting.length > 0 && !second.isBusy()) cancelLook = clock.after(PATIENCE_MS, assign)
  }

  /** Of the mailbox that used the least time. */
  function next(isEligible: (mail: WaitingMail) => boolean): WaitingMail | undefined {
    const [least] = waiting
      .filter(isEligible)
      .sort((one, other) => usedBy(one.mailboxId) - usedBy(other.mailboxId))
    waiting = waiting.filter((mail) => mail !== least)
    return least
  }

  function start(reader: Reader, mail: WaitingMail | undefined): void {
    if (!mail) return
    const { request, mailboxId, resolve, reject } = mail
    const startedAt = clock.monotonic()
    reader
      .read(request)
      .then(resolve, reject)
      .finally(() => {
        const ms = usedBy(mailboxId) + clock.monotonic() - startedAt
        used.set(mailboxId, { ms, at: clock.monotonic() })
        for (const id of used.keys()) if (usedBy(id) < 1) used.delete(id)
        assign()
      })
  }

  return {
    parse(request, mailboxId = '') {
      if (isStopped) return Promise.reject(stopped())
      return new Promise((resolve, reject) => {
        waiting.push({ request, mailboxId, resolve, reject })
        assign()
      })
    },
    stop() {
      isStopped = true
      cancelLook()
      for (const { reject } of waiting) reject(stopped())
      waiting = []
      for (const reader of [first, second]) reader.end()
    },
  }
}

function stopped(): Error {
  return new Error('The mail parser was stopped.')
}

interface Reader {
  isBusy(): boolean
  /** Milliseconds since its Worker began to read; 0 without a mail, and while the Worker starts. */
  busyFor(): number
  read(request: ParseRequest): Promise<ParseResult>
  end(): void
}

/** One Worker, which reads one mail at a time. */
function createReader(clock: Clock): Reader {
  let worker: Promise<RunningWorker> | undefined
  let isBusy = false
  let readingSince: number | undefined
  let cancelIdleEnd = () => {}

  function end(): void {
    cancelIdleEnd()
    // A Worker that didn't start has nothing to end.
    worker?.then((running) => running.end()).catch(() => {})
    worker = undefined
  }

  return {
    isBusy: () => isBusy,
    busyFor: () => (readingSince === undefined ? 0 : clock.monotonic() - readingSince),
    async read(request) {
      isBusy = true
      cancelIdleEnd()
      worker ??= startWorker(clock)
      try {
        const running = await worker
        readingSince = clock.monotonic()
        const { result, isReusable } = await running.ask(request)
        if (!isReusable) end()
        return result
      } catch (error) {
        end()
        throw error
      } finally {
        isBusy = false
        readingSince = undefined
        cancelIdleEnd = clock.after(MAX_IDLE_MS, end)
      }
    },
    end,
  }
}

async function startWorker(clock: Clock): Promise<RunningWorker> {
  const worker = new Worker(WORKER, { ref: false })
  const { promise: ready, resolve, reject } = Promise.withResolvers<void>()
  let reading: Reading | undefined
  worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
    if (data.kind === 'ready') resolve()
    else reading?.hear(data)
  }
  worker.onerror = ({ message }) => {
    reject(new Error(`The mail worker did not start: ${message}`))
    reading?.fail(`Couldn't read this email: ${message}`)
  }
  worker.addEventListener('close', () => reading?.fail('The parser thread ended while it read this email.'))
  await ready
  return {
    ask(request) {
      reading = startReading(clock, request)
      worker.postMessage(request)
      return reading.read
    },
    end() {
      worker.terminate()
      reading?.refuse(stopped())
    },
  }
}

/** One mail that the Worker is reading. Only the first result counts. */
interface Reading {
  read: Promise<{ result: ParseResult; isReusable: boolean }>
  hear(message: WorkerMessage): void
  /** The Worker will say nothing more. */
  fail(reason: string): void
  refuse(error: Error): void
}

function startReading(clock: Clock, { path }: ParseRequest): Reading {
  const { promise: read, resolve, reject } = Promise.withResolvers<Awaited<Reading['read']>>()
  let mail: ParsedMail | undefined

  function settle(result: ParseResult, isReusable = true): void {
    cancel()
    resolve({ result, isReusable })
  }

  function settleParsed(shown: Partial<ParsedMail> | null, htmlOmitted: HtmlOmission | null): void {
    if (mail) settle({ outcome: 'parsed', mail: { ...mail, ...shown }, htmlOmitted })
  }

  function giveUp(why: HtmlOmission, reason: string): void {
    if (mail) settle({ outcome: 'parsed', mail, htmlOmitted: why }, false)
    else settle({ outcome: 'unparsable', reason }, false)
  }

  function refuse(error: Error): void {
    cancel()
    reject(error)
  }

  const cancel = clock.after(MAX_PARSE_MS, () =>
    giveUp('too_slow', `Reading this email took longer than ${MAX_PARSE_MS / 1_000} seconds.`),
  )
  return {
    read,
    hear(message) {
      switch (message.kind) {
        case 'ready':
          return
        case 'mail':
          mail = message.mail
          return
        case 'end':
          settleParsed(message.shown, null)
          return
        case 'html_omitted':
          settleParsed(null, message.why)
          return
        case 'unparsable':
          settle({ outcome: 'unparsable', reason: message.reason })
          return
        case 'storage_failed':
          refuse(new Error(`The mail at ${path} could not be read: ${message.message}`))
      }
    },
    fail: (reason) => giveUp('failed', reason),
    refuse,
  }
}
