import type { RecipientOutcome } from '../database/tables/sends.ts'
import type { Send } from './queries.ts'

/** What happened to one attempt. */
export interface AttemptResult {
  /** The recipients whose fate is known. The message goes to the others again. */
  outcomes: RecipientOutcome[]
  /** Why it goes again, in plain words; empty when it doesn't. */
  error: string
  /**
   * What went wrong. `message`: only this one. `lane`: others of the mailbox or bot would fail as well. `sign in`: nothing
   * is tried until someone reconnects it. `interrupted`: this server ended the attempt, which doesn't count. `limited`:
   * the chat takes no more until `retryAt`, `lane limited`: no chat of the bot does.
   */
  fault: 'none' | 'message' | 'lane' | 'sign in' | 'interrupted' | 'limited' | 'lane limited'
  /** When the other side wants the next attempt (wall clock). Then this one doesn't count. */
  retryAt?: number
  /** The id in the other system: a `Message-ID` that the mail server gave instead of ours, with angle brackets. */
  externalId?: string | undefined
}

/** Sends what is frozen in a row. Each channel has one, which is loaded when there is something to send. */
export interface Transport {
  /** One attempt for these recipients. Never rejects: a failure is part of the result. */
  attempt(send: Send, recipients: string[]): Promise<AttemptResult>
  /** Interrupts attempts in progress and closes every connection. */
  close(): Promise<void>
}
