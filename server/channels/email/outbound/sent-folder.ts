import type { Deps } from '../../../deps.ts'
import { openImap } from '../imap/imap-session.ts'
import type { MailDeps } from '../mail-account.ts'
import { mailAccountOf } from '../mailboxes/mailbox-accounts.ts'
import type { Mailbox } from '../mailboxes/mailbox-rows.ts'

/** Mails that wait for their copy. Beyond it, none is made: the message has long been sent. */
const MAX_WAITING = 1_000

/** The bytes of a mail as it was sent. */
type SentMail = () => Promise<Uint8Array>

/**
 * Stores copies of sent mails in a folder of the mailbox, one after the other over one connection. A copy that fails is
 * logged and left out: the message was sent.
 */
export class SentFolder {
  #waiting: SentMail[] = []
  #working: Promise<void> | undefined
  readonly #stopped = new AbortController()

  constructor(
    private readonly deps: Deps,
    private readonly mailDeps: MailDeps,
    private readonly mailbox: Mailbox,
  ) {}

  add(mail: SentMail): void {
    if (this.#stopped.signal.aborted || this.#waiting.length >= MAX_WAITING) return
    this.#waiting.push(mail)
    this.#working ??= this.#workUntilEmpty()
  }

  /** Leaves out what still waits. */
  async close(): Promise<void> {
    this.#waiting = []
    this.#stopped.abort()
    await this.#working
  }

  /** A mail that comes while the connection is being closed gets another one. */
  async #workUntilEmpty(): Promise<void> {
    while (this.#waiting.length > 0) await this.#work()
    this.#working = undefined
  }

  async #work(): Promise<void> {
    try {
      const account = mailAccountOf(this.deps, this.mailDeps.dialer, this.mailbox, 'imap')
      await using session = await openImap(this.mailDeps, account, this.#stopped.signal)
      for (let mail = this.#waiting.shift(); mail; mail = this.#waiting.shift()) {
        await session.append(this.mailbox.sentFolder, await mail())
      }
    } catch (error) {
      const skipped = this.#waiting.splice(0).length
      if (this.#stopped.signal.aborted) return
      this.deps.log.warn('sent_copy_failed', { mailbox: this.mailbox.id, skipped, error })
    }
  }
}
