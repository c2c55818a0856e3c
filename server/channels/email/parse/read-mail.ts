import { decodeWords } from 'postal-mime'
import { cutQuotes } from '../../../formatting/cut-quotes.ts'
import { attachmentName, imageName, type StoreFile } from './attachment-files.ts'
import { authenticationBy, failuresBy } from './authentication-results.ts'
import { automaticReason } from './automatic-mail.ts'
import { bounceReport } from './bounce-report.ts'
import { cleanLine, cleanText, firstCodePoints } from './clean-text.ts'
import { hasQuoteElement, markQuotes } from './html-quotes.ts'
import { readBody, unreadContent } from './mail-body.ts'
import {
  addressesIn,
  deliveredTo,
  hasSeveralSenders,
  type MailHeaders,
  readMessageId,
  readMessageIds,
  returnPath,
} from './mail-headers.ts'
import { type MimePart, readParts } from './mime-parts.ts'
import {
  type Authentication,
  MAX_ATTACHMENTS,
  MAX_TEXT_LENGTH,
  type MailAttachment,
  type ParsedMail,
} from './parsed-mail.ts'
import { decodedChunks } from './part-content.ts'
import { safeHtml } from './safe-html.ts'

/** Text in which quotes are looked for, in code points. Longer text is cut and kept as a file. */
const MAX_SEARCHED_LENGTH = 4 * MAX_TEXT_LENGTH
/** RFC 5322, 2.1.1: the longest line. */
const MAX_SUBJECT_LENGTH = 998
const MAX_CONTENT_ID_LENGTH = 500
const MAX_OWN_HEADERS = 20
const MAX_OWN_HEADER_LENGTH = 500
const OWN_HEADER = /^x-bellhop-/
/** Outlook writes it into the text, where the HTML has an image. */
const CONTENT_ID_MARK = /\[cid:([^\]\s]{1,500})\]/gi
/** The year 9999. */
const LATEST_DATE = 253_402_300_799_999

export interface ReadMail {
  /** Everything but the HTML. */
  mail: ParsedMail
  /** Makes the HTML safe, which takes longest: seconds for a mail that was made to be slow. Null without HTML. */
  readHtml: (() => ReadHtml) | null
}

/** Its attachments are all of the mail, now with the images that were inside the HTML. */
export type ReadHtml = Pick<ParsedMail, 'html' | 'isFormatted' | 'hasRemoteImages' | 'attachments'>

/** The mailbox's own server, by the names in `Authentication-Results`. Those of others say nothing. */
export interface OwnServer {
  /** The one it gives itself. */
  authservId?: string
  /** Without it, those it may give itself: only what failed is believed of them. */
  hosts?: string[]
}

/** Reads a raw mail (RFC 5322). Its files are stored before it returns. */
export function readMail(bytes: Uint8Array, store: StoreFile, server: OwnServer = {}): ReadMail {
  const { root, skippedParts } = readParts(bytes)
  const { headers } = root
  const body = readBody(root)
  const written = namedImages(cleanText(body.text), body.files)
  const isEmpty = written.trim() === '' && body.html === null
  const fullText = (isEmpty && unreadContent(root)) || written
  const searched = firstCodePoints(fullText, MAX_SEARCHED_LENGTH)
  const cut = cutQuotes(searched, { hasQuoteElement: hasQuoteElement(body.html ?? '') })
  const text = firstCodePoints(cut.text, MAX_TEXT_LENGTH)
  const quoted = firstCodePoints(cut.quoted, MAX_TEXT_LENGTH)
  const isCut = searched !== fullText || text !== cut.text || quoted !== cut.quoted

  const attachments = isCut ? [wholeText(fullText, store)] : []
  for (const part of body.files.slice(0, MAX_ATTACHMENTS - attachments.length)) {
    attachments.push(attachmentOf(part, store))
  }

  const from = addressesIn(headers, 'from')[0] ?? null
  const subject = cleanLine(decodeWords(headers.first('subject') ?? ''), MAX_SUBJECT_LENGTH)
  const envelope = { from, returnPath: returnPath(headers) }
  const mail: ParsedMail = {
    messageId: readMessageId(headers.first('message-id')),
    from,
    hasSeveralSenders: hasSeveralSenders(headers),
    sender: addressesIn(headers, 'sender')[0] ?? null,
    originalFrom: addressesIn(headers, 'x-original-from'),
    replyTo: addressesIn(headers, 'reply-to'),
    to: addressesIn(headers, 'to'),
    cc: addressesIn(headers, 'cc'),
    deliveredTo: deliveredTo(headers),
    returnPath: envelope.returnPath,
    date: dateIn(headers.first('date')),
    subject,
    inReplyTo: readMessageIds(headers.all('in-reply-to')),
    references: readMessageIds(headers.all('references')),
    text,
    quoted,
    html: null,
    isFormatted: false,
    hasRemoteImages: false,
    attachments,
    bodyHash: hashOfBody([body.text, body.html ?? '', ...attachments.map(({ hash }) => hash)]),
    omittedAttachments: body.files.length + (isCut ? 1 : 0) - attachments.length + skippedParts,
    automatic: automaticReason(headers, root, { ...envelope, subject }),
    bounce: bounceReport({ root, subject, ...envelope }, searched),
    ownHeaders: ownHeaders(headers),
    authentication: authenticationOf(server, headers),
  }
  const { html } = body
  return { mail, readHtml: html === null ? null : () => readHtml(html, mail, store) }
}

function authenticationOf(
  { authservId, hosts = [] }: OwnServer,
  headers: MailHeaders,
): Authentication | null {
  return authservId === undefined ? failuresBy(hosts, headers) : authenticationBy(authservId, headers)
}

function readHtml(source: string, { attachments, quoted }: ParsedMail, store: StoreFile): ReadHtml {
  const all = [...attachments]
  const {
    html: safe,
    hasRemoteImages,
    contentIds,
  } = safeHtml(cleanText(source), (type, base64) => {
    if (all.length >= MAX_ATTACHMENTS) return null
    const declared = { name: imageName(type) ?? 'image', type, contentId: null }
    const image = store([Buffer.from(base64, 'base64')], declared)
    const contentId = `${image.hash}@inline`
    all.push({ ...image, contentId })
    return contentId
  })
  const shown = new Set(contentIds)
  const { html, isFormatted } = markQuotes(safe, { hasQuote: quoted !== '' })
  return {
    html: html.trim() === '' ? null : html,
    isFormatted,
    hasRemoteImages,
    attachments: all.map((file) => ({
      ...file,
      isInline: file.contentId !== null && shown.has(file.contentId) && file.type.startsWith('image/'),
    })),
  }
}

function hashOfBody(parts: string[]): string {
  const hasher = new Bun.CryptoHasher('sha256')
  for (const part of parts) hasher.update(`${part.replace(/\s+/g, ' ').trim()}\0`)
  return hasher.digest('hex')
}

/** Replaces content ids in the text of a mail with the names of the images. */
function namedImages(text: string, files: MimePart[]): string {
  if (!/\[cid:/i.test(text)) return text
  const names = new Map(files.map((part) => [contentIdOf(part)?.toLowerCase(), attachmentName(part)]))
  return text.replaceAll(CONTENT_ID_MARK, (_, contentId: string) => {
    const name = names.get(contentId.toLowerCase())?.replaceAll(/[[\]]/g, '')
    return name ? `[image: ${name}]` : ''
  })
}

function attachmentOf(part: MimePart, store: StoreFile): MailAttachment {
  const { body, encoding, type } = part
  return store(decodedChunks(body, encoding), {
    name: attachmentName(part),
    type,
    contentId: contentIdOf(part),
  })
}

/** The text that is too long for a message, as a file. */
function wholeText(text: string, store: StoreFile): MailAttachment {
  const type = 'text/plain'
  return { ...store([Buffer.from(text)], { name: 'message.txt', type, contentId: null }), type }
}

function contentIdOf({ headers }: MimePart): string | null {
  const id = cleanLine(headers.first('content-id') ?? '', MAX_CONTENT_ID_LENGTH)
  return id.replace(/^<|>$/g, '').trim() || null
}

function dateIn(header = ''): number | null {
  const time = Date.parse(
    header
      .slice(0, 200)
      .replace(/\([^()]*\)/g, ' ')
      .trim(),
  )
  return time >= 0 && time <= LATEST_DATE ? time : null
}

function ownHeaders(headers: MailHeaders): Record<string, string> {
  const names = headers
    .names()
    .filter((name) => OWN_HEADER.test(name))
    .slice(0, MAX_OWN_HEADERS)
  return Object.fromEntries(
    names.map((name) => [name, cleanLine(headers.first(name) ?? '', MAX_OWN_HEADER_LENGTH)]),
  )
}
