import { readFileSync, statSync } from 'node:fs'
import { createFileWriter, type StoreFile } from './attachment-files.ts'
import { MAX_MAIL_BYTES, type ParsedMail } from './parsed-mail.ts'
import { type OwnServer, type ReadHtml, type ReadMail, readMail } from './read-mail.ts'
import { TooLargeHtml } from './safe-html.ts'

/** After a mail of this many bytes, memory is released at once: a mail of 25 MB takes about 200 MB. */
const LARGE_MAIL_BYTES = 1_048_576

/** The thread that parses mails. A mail that crashes it doesn't stop the program. */
addEventListener('message', ({ data }: MessageEvent<ParseRequest>) => {
  try {
    tell(answer(data))
    if (statSync(data.path).size > LARGE_MAIL_BYTES) Bun.gc(true)
  } catch (error) {
    if (error instanceof StorageError) tell({ kind: 'storage_failed', message: error.message })
    else tell({ kind: 'unparsable', reason: `Couldn't read this email: ${messageOf(error)}` })
  }
})
tell({ kind: 'ready' })

/** Sends the mail before its HTML, because sanitizing the HTML can take too long. */
function answer({ path, attachmentFolder, ...server }: ParseRequest): WorkerMessage {
  const bytes = readFile(path)
  if (!bytes) {
    return { kind: 'unparsable', reason: `This email is larger than ${MAX_MAIL_BYTES / 1_048_576} MB.` }
  }
  const write = createFileWriter(attachmentFolder)
  const store: StoreFile = (content, declared) => orStorageError(() => write(content, declared))
  const read = readMail(bytes, store, server)
  tell({ kind: 'mail', mail: read.mail })
  return htmlAnswer(read)
}

function htmlAnswer({ readHtml }: ReadMail): WorkerMessage {
  try {
    return { kind: 'end', shown: readHtml?.() ?? null }
  } catch (error) {
    if (error instanceof StorageError) throw error
    return { kind: 'html_omitted', why: error instanceof TooLargeHtml ? 'too_large' : 'failed' }
  }
}

/** Undefined for a mail that is too large. */
function readFile(path: string): Uint8Array | undefined {
  return orStorageError(() => (statSync(path).size > MAX_MAIL_BYTES ? undefined : readFileSync(path)))
}

/** The disk is full or a file is missing. This says nothing about the mail. */
class StorageError extends Error {}

function orStorageError<T>(work: () => T): T {
  try {
    return work()
  } catch (cause) {
    throw new StorageError(messageOf(cause), { cause })
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function tell(message: WorkerMessage): void {
  postMessage(message)
}

/** What the parser asks its Worker. */
export interface ParseRequest extends OwnServer {
  /** The file with the raw mail. */
  path: string
  /** An existing folder, where attachments are written. */
  attachmentFolder: string
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
