import type { Clock } from '../../../clock.ts'
import type { HtmlOmission, ParsedMail, ParseResult } from './parsed-mail.ts'
import type { ParseRequest, WorkerMessage } from './worker-messages.ts'

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
   * Reads a raw mail outside the main thread, one after the other. Rejects when a file can't be read or written or the
   * Worker doesn't start: the mail may be fine, so try again later.
   */
  parse(request: ParseRequest): Promise<ParseResult>
  /** Ends the Worker. Mails that are being read or waiting are rejected. */
  stop(): void
}

/** A Worker that said it is ready. */
interface RunningWorker {
  /** Asks for one mail. The Worker can be asked again when `isReusable` is true. */
  ask(request: ParseRequest): Reading['read']
  end(): void
}

/** Reads mails in a Worker that starts with the first mail. A mail that takes too long costs the Worker, not the program. */
export function createMailParser({ clock }: { clock: Clock }): MailParser {
  let worker: Promise<RunningWorker> | undefined
  let last: Promise<unknown> = Promise.resolve()
  let cancelIdleEnd = () => {}
  let isStopped = false

  async function parseNow(request: ParseRequest): Promise<ParseResult> {
    if (isStopped) throw new Error('The mail parser was stopped.')
    cancelIdleEnd()
    worker ??= startWorker(clock)
    try {
      const { result, isReusable } = await (await worker).ask(request)
      if (!isReusable) endWorker()
      return result
    } catch (error) {
      endWorker()
      throw error
    } finally {
      cancelIdleEnd = clock.after(MAX_IDLE_MS, endWorker)
    }
  }

  function endWorker(): void {
    cancelIdleEnd()
    // A Worker that didn't start has nothing to end.
    worker?.then((running) => running.end()).catch(() => {})
    worker = undefined
  }

  return {
    parse(request) {
      const result = last.then(() => parseNow(request))
      last = result.catch(() => {})
      return result
    },
    stop() {
      isStopped = true
      endWorker()
    },
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
      reading?.refuse(new Error('The mail parser was stopped.'))
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
