import type { ParsedMail } from './parsed-mail.ts'
import type { ReadHtml } from './read-mail.ts'

/** What the parser asks its Worker. */
export interface ParseRequest {
  /** The file with the raw mail. */
  path: string
  /** An existing folder, where attachments are written. */
  attachmentFolder: string
  /** The name the mailbox's own server gives itself in `Authentication-Results`. Without it, none is believed. */
  authservId?: string
}

/** What the Worker answers: `ready` once, then for each request `mail` and `end`, or one of the others. */
export type WorkerMessage =
  | { kind: 'ready' }
  /** Everything but the HTML. */
  | { kind: 'mail'; mail: ParsedMail }
  /** The HTML; null when the mail has none. */
  | { kind: 'end'; shown: ReadHtml | null }
  | { kind: 'html_omitted'; why: 'too_large' | 'failed' }
  | { kind: 'unparsable'; reason: string }
  /** A file could not be read or written. The mail itself may be fine. */
  | { kind: 'storage_failed'; message: string }
