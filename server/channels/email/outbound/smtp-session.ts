import { Readable } from 'node:stream'
import type SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { SMTPConnectionSendInfo, SMTPError } from 'nodemailer/lib/smtp-connection'
import type { MailAccount, MailDeps } from '../mail-account.ts'
import { connectionFailure, MailServerError, wordsOf } from '../mail-server-error.ts'
import { ExchangeStopped, exchange, openSmtp } from './smtp-connection.ts'
import {
  brokenResult,
  deliveredResult,
  refusedResult,
  type SmtpResult,
  tooLargeResult,
  unsupportedAddressResult,
} from './why-not-sent.ts'

/** Time limits of RFC 5321, section 4.5.3.2: some servers wait on purpose, or scan the message before they answer. */
const MAX_ENVELOPE_MS = 5 * 60_000
const MAX_BLOCK_MS = 3 * 60_000
const MAX_FINAL_REPLY_MS = 10 * 60_000
const MAX_RESET_MS = 10_000
const MAX_QUIT_MS = 2_000
/** Servers close idle connections, and some count them. */
const MAX_IDLE_MS = 10_000
/** Many servers allow 100. */
const MAX_MESSAGES_PER_CONNECTION = 100

interface Submission {
  /** Addresses only, with domains in ASCII. */
  from: string
  to: readonly string[]
  /** A new stream of the same bytes on each call: a message may go twice. */
  body(): Readable
  /** The length of the body, if known. A server that announces a lower limit is not sent the body. */
  bytes?: number
}

/**
 * Submits the messages of one mailbox (RFC 6409), one after the other over one connection, which is opened when needed
 * and closed when it is idle. Use several sessions to send at the same time.
 */
export class SmtpSession {
  #connection: SMTPConnection | undefined
  #messages = 0
  #offersUtf8 = false
  readonly #closing = new AbortController()
  #turn: Promise<unknown> = Promise.resolve()
  #cancelIdle = () => {}

  /** `name` is how this side introduces itself to the server (EHLO): the domain of the mailbox. */
  constructor(
    private readonly deps: MailDeps,
    private readonly account: MailAccount,
    private readonly name: string,
  ) {}

  /**
   * One attempt. What goes wrong with the server is in the result. Rejects with what the body's stream or the function
   * for the access token throws: then the server has not taken the message.
   */
  submit(submission: Submission): Promise<SmtpResult> {
    const turn = this.#turn.then(() => this.#submit(submission))
    this.#turn = turn.catch(() => {})
    return turn
  }

  /** Connects and signs in, and sends nothing. Rejects with `MailServerError`. */
  verify(): Promise<void> {
    const turn = this.#turn.then(async () => {
      this.#quit()
      await this.#open()
      this.#closeWhenIdle()
    })
    this.#turn = turn.catch(() => {})
    return turn
  }

  /** Ends an attempt in progress. Later ones end as `temporary` at once. */
  close(): void {
    this.#closing.abort()
    this.#cancelIdle()
    this.#connection?.close()
    this.#connection = undefined
  }

  async #submit(submission: Submission): Promise<SmtpResult> {
    this.#cancelIdle()
    try {
      const reused = this.#usable()
      const attempt = reused && (await this.#send(reused, submission))
      if (attempt && !attempt.isStale) return attempt.result
      return (await this.#send(await this.#open(), submission)).result
    } catch (error) {
      if (error instanceof MailServerError) return brokenResult(submission.to, 'temporary', error)
      throw error
    } finally {
      this.#closeWhenIdle()
    }
  }

  #usable(): SMTPConnection | undefined {
    const connection = this.#connection
    if (!connection || connection.destroyed) return undefined
    if (this.#messages < MAX_MESSAGES_PER_CONNECTION) return connection
    this.#quit()
    return undefined
  }

  async #open(): Promise<SMTPConnection> {
    const { signal } = this.#closing
    if (signal.aborted) throw new MailServerError('interrupted', this.account)
    const { smtp: connection, offersUtf8 } = await openSmtp(this.deps, this.account, this.name, signal)
    if (signal.aborted) {
      connection.close()
      throw new MailServerError('interrupted', this.account)
    }
    this.#connection = connection
    this.#messages = 0
    this.#offersUtf8 = offersUtf8
    return connection
  }

  async #send(smtp: SMTPConnection, submission: Submission): Promise<Attempt> {
    this.#messages++
    const { from, to, bytes } = submission
    const foreign = this.#offersUtf8 ? undefined : [from, ...to].find((address) => /\P{ASCII}/u.test(address))
    if (foreign !== undefined) {
      return { result: unsupportedAddressResult(this.account.host, to, foreign), isStale: false }
    }
    const handover = new Handover(submission.body)
    try {
      const info = await exchange<SMTPConnectionSendInfo>(
        this.deps,
        smtp,
        MAX_ENVELOPE_MS,
        (done, extend) => {
          // The array is a copy, because the library changes it.
          smtp.send({ from, to: [...to], size: bytes }, handover.stream(extend), done)
        },
      )
      if (handover.phase !== 'handed over') throw new Error('The server accepted a part of the message.')
      return { result: deliveredResult(to, info ?? {}), isStale: false }
    } catch (error) {
      if (handover.failure) {
        this.#drop(smtp)
        throw handover.failure.reason
      }
      return this.#failed(smtp, submission, { error: asError(error), phase: handover.phase })
    }
  }

  async #failed(
    smtp: SMTPConnection,
    { to, bytes = 0 }: Submission,
    { error, phase }: { error: SMTPError; phase: Phase },
  ): Promise<Attempt> {
    const { account } = this
    if (error.response && error.code !== 'EPROTOCOL') {
      // The server responded in the middle of the body, so the rest of it is still being sent.
      if (phase === 'body') this.#drop(smtp)
      else await this.#reset(smtp)
      // The mailbox has no sign-in, and its server wants one for every message.
      if (error.response.startsWith('530')) {
        const problem = new MailServerError('rejected', account, wordsOf(error.response), error)
        return { result: brokenResult(to, 'temporary', problem), isStale: false }
      }
      const isStale = phase === 'envelope' && error.response.startsWith('421')
      return { result: refusedResult(account.host, to, error), isStale }
    }
    if (error.code === 'EMESSAGE') return { result: tooLargeResult(account.host, to, bytes), isStale: false }
    this.#drop(smtp)
    const problem = brokenBy(error, account)
    return {
      result: brokenResult(to, phase === 'handed over' ? 'unknown' : 'temporary', problem),
      // The server closed the idle connection just as it was reused, which says nothing about the message.
      isStale: phase === 'envelope' && problem.code === 'reset',
    }
  }

  /** Makes the connection ready for the next message. */
  async #reset(smtp: SMTPConnection): Promise<void> {
    await exchange<boolean>(this.deps, smtp, MAX_RESET_MS, (done) => smtp.reset(done)).catch(() => {
      this.#drop(smtp)
    })
  }

  #drop(smtp: SMTPConnection): void {
    smtp.close()
    if (this.#connection === smtp) this.#connection = undefined
  }

  #closeWhenIdle(): void {
    this.#cancelIdle()
    if (this.#connection) this.#cancelIdle = this.deps.clock.after(MAX_IDLE_MS, () => this.#quit())
  }

  #quit(): void {
    const smtp = this.#connection
    this.#connection = undefined
    if (!smtp || smtp.destroyed) return
    const cancelTimer = this.deps.clock.after(MAX_QUIT_MS, () => smtp.close())
    smtp.once('end', cancelTimer)
    smtp.quit()
  }
}

/** `isStale`: a reused connection had been closed, and the message should go over a new one. */
interface Attempt {
  result: SmtpResult
  isStale: boolean
}

/** How far a message got. */
type Phase = 'envelope' | 'body' | 'handed over'

/** The body while it is being sent. The library reads it only after the server has requested it (354). */
class Handover {
  phase: Phase = 'envelope'
  /** The error of the body's own stream. */
  failure: { reason: unknown } | undefined

  constructor(private readonly body: () => Readable) {}

  /** `extend` gets the time limit of each step. */
  stream(extend: (milliseconds: number) => void): Readable {
    const stream = Readable.from(this.#chunks(extend), { objectMode: false })
    // All of it was read, and the line that ends it comes next.
    stream.once('end', () => {
      this.phase = 'handed over'
      extend(MAX_FINAL_REPLY_MS)
    })
    return stream
  }

  async *#chunks(extend: (milliseconds: number) => void): AsyncGenerator<Uint8Array> {
    this.phase = 'body'
    extend(MAX_BLOCK_MS)
    try {
      for await (const chunk of this.body()) {
        extend(MAX_BLOCK_MS)
        yield chunk
      }
    } catch (reason) {
      this.failure = { reason }
      // The library overwrites the code of an error that it gets.
      throw new Error('The body could not be read.', { cause: reason })
    }
  }
}

function asError(error: unknown): SMTPError {
  return error instanceof Error ? error : new Error(String(error))
}

function brokenBy(error: SMTPError, account: MailAccount): MailServerError {
  if (error instanceof ExchangeStopped) return new MailServerError(error.code, account, null, error)
  if (error.code === 'EPROTOCOL') {
    return new MailServerError('bad_response', account, wordsOf(error.response ?? '') || null, error)
  }
  return connectionFailure(error, account)
}
