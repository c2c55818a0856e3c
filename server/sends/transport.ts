import type { RecipientOutcome } from '../database/tables/sends.ts'
import type { Send } from './queries.ts'

/** The result of one attempt. */
export interface AttemptResult {
  /** The recipients with a final outcome. The message is sent to the others again. */
  outcomes: RecipientOutcome[]
  /** Why it will be retried, in plain words; empty if it won't. */
  error: string
  /**
   * What went wrong. `message`: only this message. `lane`: others of the mailbox or bot would fail as well. `sign in`:
   * nothing is tried until someone reconnects it. `interrupted`: this server ended the attempt, which doesn't count.
   * `limited`: the chat accepts nothing until `retryAt`. `lane limited`: no chat of the bot does.
   */
  fault: 'none' | 'message' | 'lane' | 'sign in' | 'interrupted' | 'limited' | 'lane limited'
  /** When the other side wants the next attempt (wall clock). Then this one doesn't count. */
  retryAt?: number
  /** The id in the other system: a `Message-ID` that the mail server gave instead of ours, with angle brackets. */
  externalId?: string | undefined
}

/** Sends the frozen content of a row. Each channel has one, which is loaded when there is something to send. */
export interface Transport {
  /** One attempt for these recipients. Never rejects: a failure is part of the result. */
  attempt(send: Send, recipients: string[]): Promise<AttemptResult>
  /** Interrupts attempts in progress and closes every connection. */
  close(): Promise<void>
}
