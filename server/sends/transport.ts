import type { RecipientOutcome } from '../database/tables/sends.ts'
import type { Send } from './queries.ts'

/** What became of one attempt. */
export interface AttemptResult {
  /** The recipients whose fate is known. The message goes to the others again. */
  outcomes: RecipientOutcome[]
  /** Why it goes again, in plain words; empty when it doesn't. */
  error: string
  /**
   * What went wrong. `message`: only this one. `lane`: others of the mailbox would fail as well. `sign in`: nothing is
   * tried until someone reconnects the mailbox. `interrupted`: this server ended the attempt, which doesn't count.
   */
  fault: 'none' | 'message' | 'lane' | 'sign in' | 'interrupted'
  /** The `Message-ID` that the server gave instead of ours, with angle brackets. Answers refer to it. */
  externalId?: string | undefined
}

/** Sends what is frozen in a row. Each channel has one, which is loaded when there is something to send. */
export interface Transport {
  /** One attempt for these recipients. Never rejects: a failure is part of the result. */
  attempt(send: Send, recipients: string[]): Promise<AttemptResult>
  /** Interrupts attempts in progress and closes every connection. */
  close(): Promise<void>
}
