import { MAX_REFERENCES } from './parsed-mail.ts'

const MAX_ID_LENGTH = 500
/** Characters of one header that are read. */
const MAX_HEADER_LENGTH = 262_144
const BRACKETED = /<([^<>\s]{1,500})>/g
const SEPARATORS = /[\s<>(),;"]+/

/** The first message id of a header, with angle brackets. */
export function readMessageId(header: string | undefined): string | null {
  return readMessageIds([header ?? ''])[0] ?? null
}

/**
 * The message ids of some headers (RFC 5322, 3.6.4), with angle brackets, each once, in order. Of too many, the first
 * and the last are kept: the oldest begins the thread, the newest are answered. Ids that some programs write without
 * brackets count when there are no others.
 */
export function readMessageIds(headers: string[]): string[] {
  const text = headers.map((header) => header.slice(0, MAX_HEADER_LENGTH)).join(' ')
  const bracketed = [...text.matchAll(BRACKETED)].map(([, id = '']) => id)
  const found = bracketed.length > 0 ? bracketed : text.split(SEPARATORS).filter((id) => id.includes('@'))
  const printable = found.map((id) => id.toWellFormed().replace(/\p{Cc}/gu, ''))
  const kept = printable.filter((id) => id !== '' && id.length <= MAX_ID_LENGTH)
  const ids = [...new Set(kept)].map((id) => `<${id}>`)
  return ids.length <= MAX_REFERENCES ? ids : [...ids.slice(0, 1), ...ids.slice(1 - MAX_REFERENCES)]
}
