import type { MessageFormat } from '../../../database/tables/messages.ts'
import {
  type EmailImage,
  emailImage,
  markdownToEmailHtml,
  plainToEmailHtml,
} from '../../../formatting/email-html.ts'
import { imageNames } from '../../../formatting/markdown.ts'
import { escapeHtml } from '../../../formatting/message-html.ts'
import { plainText } from '../../../formatting/plain-text.ts'
import type { ForwardedMessage } from '../../channel.ts'

/** In UTF-16 units. Enough to see which message is answered. */
const MAX_QUOTED_LENGTH = 10_000
/** Without a font, Outlook shows a mail in Times New Roman. */
const LETTERS = 'font-family:Arial,Helvetica,sans-serif;font-size:14px'
const WRITER = 'margin:1em 0 0'
const SEPARATOR = 'margin:1em 0 0;color:#666'
const QUOTE = 'margin:0 0 0 4px;border-left:2px solid #ccc;padding-left:12px'

/** The quote below the text, with its author and time. */
export interface QuotedText {
  writer: string
  /** Milliseconds since 1970. */
  writtenAt: number
  text: string
}

/** A text with its author, for an email with the texts of several messages. */
export interface WrittenText {
  text: string
  format: MessageFormat
  writer?: string
}

/** The parts that an email's text is made of. */
interface BodyParts {
  /** Oldest first. */
  texts: readonly WrittenText[]
  /** Markdown; the agent's, then the mailbox's. */
  signatures: readonly string[]
  quoted: QuotedText | undefined
  forwarded: ForwardedMessage | undefined
  /** Images that are shown where the text names them, or else below it, above the signature. */
  images: readonly (Omit<EmailImage, 'source'> & { contentId: string; name: string })[]
}

/** The two alternatives of an email. */
export function emailBody(parts: BodyParts): { text: string; html: string } {
  return { text: textOf(parts), html: htmlOf(parts) }
}

/** The plain text that a forward adds below its own. */
export function forwardedText({ header, text }: ForwardedMessage): string {
  return [...headerLines(header), '', text].join('\n')
}

/** The same with the formatting of the message, in the form that the thread shows. */
export function forwardedHtml({ header, text, html }: ForwardedMessage): string {
  const block = headerLines(header).map(escapeHtml).join('<br>\n')
  // Keeps the message from covering the header with a fake one.
  const style = 'position:relative;overflow:auto;contain:paint'
  return `<div style="margin:0 0 1em;color:#666">${block}</div>\n<div style="${style}">${html ?? plainToEmailHtml(text)}</div>`
}

/** Converts the HTML for an email: images refer to the attachments of the email, or to their remote URLs. */
function forMailPrograms(html: string): string {
  return new HTMLRewriter()
    .on('img[data-cid]', {
      element(image) {
        image.setAttribute('src', `cid:${image.getAttribute('data-cid')}`)
        image.removeAttribute('data-cid')
      },
    })
    .on('img[data-remote-src]', {
      element(image) {
        image.setAttribute('src', image.getAttribute('data-remote-src') ?? '')
        image.removeAttribute('data-remote-src')
      },
    })
    .transform(html)
}

function headerLines(header: ForwardedMessage['header']): string[] {
  return ['---------- Forwarded message ----------', ...header.map(([name, value]) => `${name}: ${value}`)]
}

function textOf({ texts, signatures, quoted, forwarded }: BodyParts): string {
  const blocks = texts.map(({ text, format, writer }) => {
    const written = format === 'markdown' ? plainText(text) : text
    return writer === undefined ? written : `${writer}:\n${written}`
  })
  // "-- " marks a signature: mail programs leave it out when they quote (RFC 3676, section 4.3).
  if (signatures.length > 0)
    blocks.push(`-- \n${signatures.map((signature) => plainText(signature)).join('\n\n')}`)
  if (forwarded) blocks.push(forwardedText(forwarded))
  if (quoted) {
    const lines = cut(quoted.text)
      .split('\n')
      .map((line) => (line === '' ? '>' : `> ${line}`))
    blocks.push(`${attribution(quoted)}\n${lines.join('\n')}`)
  }
  return blocks.filter((block) => block !== '').join('\n\n')
}

function htmlOf({ texts, signatures, quoted, forwarded, images }: BodyParts): string {
  const { placed, below } = placesOf(texts, images)
  const blocks = texts.map(({ text, format, writer }) => {
    const html = format === 'markdown' ? markdownToEmailHtml(text, placed) : plainToEmailHtml(text)
    const heading =
      writer === undefined ? '' : `<p dir="auto" style="${WRITER}"><b>${escapeHtml(writer)}</b></p>`
    return `<div>${heading}${html}</div>`
  })
  for (const image of below) blocks.push(`<p>${emailImage(image)}</p>`)
  if (signatures.length > 0) {
    const html = signatures.map((signature) => markdownToEmailHtml(signature)).join('')
    blocks.push(`<div style="${SEPARATOR}">-- <br>\n${html}</div>`)
  }
  if (forwarded) blocks.push(forMailPrograms(forwardedHtml(forwarded)))
  if (quoted) {
    const html = plainToEmailHtml(cut(quoted.text))
    blocks.push(
      `<div><p dir="auto" style="${SEPARATOR}">${escapeHtml(attribution(quoted))}</p>`,
      `<blockquote type="cite" dir="auto" style="${QUOTE}">${html}</blockquote></div>`,
    )
  }
  return `<!doctype html>\n<html><body style="${LETTERS}">\n${blocks.join('\n')}\n</body></html>\n`
}

/** Of two images with one name, the text shows the first. */
function placesOf(
  texts: BodyParts['texts'],
  images: BodyParts['images'],
): { placed: Map<string, EmailImage>; below: EmailImage[] } {
  const named = new Set(
    texts.flatMap(({ text, format }) => (format === 'markdown' ? [...imageNames(text)] : [])),
  )
  const placed = new Map<string, EmailImage>()
  const below: EmailImage[] = []
  for (const { contentId, name, width, height } of images) {
    const image = { source: `src="cid:${escapeHtml(contentId)}"`, width, height }
    if (named.has(name) && !placed.has(name)) placed.set(name, image)
    else below.push(image)
  }
  return { placed, below }
}

function attribution({ writer, writtenAt }: QuotedText): string {
  return `On ${emailDate(writtenAt)}, ${writer} wrote:`
}

/** Created at first use: loading the words of a language takes several milliseconds. */
let quoteTime: Intl.DateTimeFormat | undefined

/** `Nov 22, 2026, 10:20 AM UTC`. */
export function emailDate(milliseconds: number): string {
  quoteTime ??= new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  return `${quoteTime.format(milliseconds).replaceAll('\u202f', ' ')} UTC`
}

function cut(text: string): string {
  const whole = text.trim()
  return whole.length <= MAX_QUOTED_LENGTH ? whole : `${whole.slice(0, MAX_QUOTED_LENGTH).trimEnd()} […]`
}
