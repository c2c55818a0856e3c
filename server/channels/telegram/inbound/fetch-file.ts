import type { ReceivedFile } from '../../../attachments/bindings.ts'
import type { KeptFile } from '../../../attachments/file-store.ts'
import { sniffType } from '../../../attachments/file-type.ts'
import { readImageSize } from '../../../attachments/image-size.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import type { BotApi } from '../bot-api/bot-api.ts'
import { BotApiError } from '../bot-api/bot-api-error.ts'
import type { IncomingFile } from './message-content.ts'

type WantedFile = Omit<IncomingFile, 'uniqueId'>

/** Telegram's limit for bots. */
const MAX_BYTES = 20 * 1024 * 1024
const TIMEOUT_MS = 15_000

/** A file in the store, or why it isn't there, in plain words, and whether it is worth another attempt. */
export type FetchedFile =
  | { kept: KeptFile; file: ReceivedFile }
  | { missing: WantedFile; reason: string; isFinal: boolean; retryAfterMs?: number }

const TOO_LARGE = 'Telegram lets bots download files of up to 20 MB.'

export function isTooLarge(fetched: FetchedFile): fetched is Extract<FetchedFile, { missing: WantedFile }> {
  return 'missing' in fetched && fetched.reason === TOO_LARGE
}

const NO_TOKEN = 'The bot was removed before the file was downloaded.'
const CUT = 'The download was interrupted.'

/** Downloads a file of a message. Rejects only when this server fails, such as with a full disk. */
export async function fetchFile(
  deps: Deps,
  api: BotApi,
  { token, file, signal }: { token: string | undefined; file: WantedFile; signal?: AbortSignal | undefined },
): Promise<FetchedFile> {
  const missing = (reason: string, isFinal: boolean, retryAfterMs?: number): FetchedFile => ({
    missing: file,
    reason,
    isFinal,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
  if (file.size !== null && file.size > MAX_BYTES) return missing(TOO_LARGE, true)
  if (token === undefined) return missing(NO_TOKEN, true)
  const options = { timeoutMs: TIMEOUT_MS, signal }
  try {
    const found = await api.call(token, 'getFile', { file_id: file.fileId }, options)
    if (found.file_path === undefined) return missing("Telegram doesn't offer this file for download.", true)
    const kept = await deps.files.put(api.download(token, found.file_path, options), { maxBytes: MAX_BYTES })
    if (found.file_size !== undefined && found.file_size !== kept.size) {
      kept[Symbol.dispose]()
      return missing("The file's size isn't what Telegram announced.", false)
    }
    return { kept, file: await received(kept, file) }
  } catch (error) {
    if (error instanceof AppError && error.status === 413) return missing(TOO_LARGE, true)
    if (!(error instanceof BotApiError) || error.kind === 'interrupted') throw error
    const isFinal = error.code === 400
    const isCut = error.kind !== 'answered'
    return missing(isFinal ? reasonOf(error) : isCut ? CUT : error.message, isFinal, error.retryAfterMs)
  }
}

function reasonOf({ description, message }: BotApiError): string {
  return /too big/i.test(description) ? TOO_LARGE : message
}

async function received(kept: KeptFile, { name }: WantedFile): Promise<ReceivedFile> {
  const type = sniffType(kept.head, name)
  const size = await readImageSize(type, kept.head, kept.file)
  return {
    hash: kept.hash,
    name,
    type,
    size: kept.size,
    width: size?.width ?? null,
    height: size?.height ?? null,
  }
}
