import { htmlToText } from './html-text.ts'
import type { MimePart } from './mime-parts.ts'
import { decodedChunks, decodeText } from './part-content.ts'

/** Bytes of one text that are read. */
const MAX_TEXT_BYTES = 4_194_304
const FLOWED = /^flowed$/i
/** Other forms of a text, which mail programs don't show. */
const HIDDEN_ALTERNATIVES = new Set(['text/x-amp-html', 'text/watch-html'])

/** The text of a mail, and its files. */
interface MailBody {
  /** Line breaks as they came. Made from the HTML where a part has no text. */
  text: string
  /** As it came: not safe to show. Null when no part is HTML. */
  html: string | null
  /** Parts that are files. */
  files: MimePart[]
}

/** A piece of the body: one text, in one or two forms. */
interface Piece {
  plain: string
  html: string
}

/** Sorts the parts of a mail into text and files. Mails inside the mail are files. */
export function readBody(root: MimePart): MailBody {
  const pieces: Piece[] = []
  const files: MimePart[] = []
  collect(root, undefined)
  // Some printers and scanners give the only text a file name.
  const [first] = files
  if (pieces.length === 0 && first && isBareText(first))
    pieces.push(pieceOf(first, textOf(files.shift() ?? first)))
  const shown = pieces.map(({ plain, html }) => (plain.trim() === '' && html ? htmlToText(html) : plain))
  const hasHtml = pieces.some(({ html }) => html !== '')
  return {
    text: shown.filter((text) => text.trim() !== '').join('\n\n'),
    html: hasHtml ? pieces.map(({ plain, html }) => html || textToHtml(plain)).join('<br>\n') : null,
    files,
  }

  /** `alternative` collects the forms of the `multipart/alternative` around the part. */
  function collect(part: MimePart, alternative: Piece | undefined): void {
    if (part.children.length > 0) {
      const isAlternative = part.type === 'multipart/alternative'
      const own = isAlternative && !alternative ? { plain: '', html: '' } : alternative
      if (own && own !== alternative) pieces.push(own)
      for (const child of part.children) collect(child, own)
      return
    }
    if (alternative && HIDDEN_ALTERNATIVES.has(part.type)) return
    if (!isText(part)) {
      if (part.body.length > 0) files.push(part)
      return
    }
    const text = textOf(part)
    const form = part.type === 'text/html' ? 'html' : 'plain'
    if (!alternative) pieces.push(pieceOf(part, text))
    else alternative[form] = alternative[form] ? `${alternative[form]}\n${text}` : text
  }
}

/** A text without a file name. A multipart in which no part was found is a text. */
function isText({ type, parameters, disposition }: MimePart): boolean {
  if (disposition.value === 'attachment' || disposition.parameters.has('filename')) return false
  if (type.startsWith('multipart/')) return true
  return isReadable(type) && !parameters.has('name')
}

function isBareText({ type, disposition }: MimePart): boolean {
  return isReadable(type) && disposition.value !== 'attachment'
}

function isReadable(type: string): boolean {
  return type === 'text/plain' || type === 'text/html'
}

function pieceOf({ type }: MimePart, text: string): Piece {
  return type === 'text/html' ? { plain: '', html: text } : { plain: text, html: '' }
}

/** The decoded text of a part. */
export function textOf({ body, encoding, parameters }: MimePart): string {
  const chunks: Uint8Array[] = []
  let size = 0
  for (const chunk of decodedChunks(body, encoding)) {
    chunks.push(chunk.subarray(0, MAX_TEXT_BYTES - size))
    size += chunk.length
    if (size >= MAX_TEXT_BYTES) break
  }
  const text = decodeText(Buffer.concat(chunks), parameters.get('charset'))
  return FLOWED.test(parameters.get('format') ?? '') ? unflowed(text, parameters.get('delsp')) : text
}

/** Joins the lines that a mail program broke (RFC 3676). Lines of different quotes stay apart. */
function unflowed(text: string, deletesSpace = 'no'): string {
  const lines: string[] = []
  let open: { marks: string; pieces: string[] } | undefined

  function close(): void {
    if (!open) return
    lines.push(open.marks + open.pieces.join(''))
    open = undefined
  }

  for (const line of text.split(/\r?\n/)) {
    const marks = /^>*/.exec(line)?.[0] ?? ''
    const stuffed = line.slice(marks.length)
    const content = stuffed.startsWith(' ') ? stuffed.slice(1) : stuffed
    if (open && open.marks.trimEnd() !== marks) close()
    open ??= { marks: marks ? `${marks} ` : '', pieces: [] }
    const isBroken = content.endsWith(' ') && content !== '-- '
    open.pieces.push(isBroken && /^yes$/i.test(deletesSpace) ? content.slice(0, -1) : content)
    if (!isBroken) close()
  }
  close()
  return lines.join('\n')
}

function textToHtml(text: string): string {
  return `<div style="white-space: pre-wrap">${Bun.escapeHTML(text)}</div>`
}

/**
 * What stands instead of the text of a mail whose content can't be read here: it is encrypted, or in a format of Outlook.
 * Undefined for any other mail. In brackets, because the sender didn't write it.
 */
export function unreadContent(part: MimePart): string | undefined {
  switch (part.type) {
    case 'multipart/encrypted':
      return '[This email is encrypted with PGP. Its content is in the attached file, which only the holder of the key can open.]'
    case 'application/pkcs7-mime':
    case 'application/x-pkcs7-mime':
      return part.parameters.get('smime-type')?.toLowerCase() === 'signed-data'
        ? '[This email is signed with S/MIME in a way that puts its text into the attached file. Open it in a mail program.]'
        : '[This email is encrypted with S/MIME. Its content is in the attached file, which only the holder of the key can open.]'
    case 'application/ms-tnef':
    case 'application/vnd.ms-tnef':
      return '[This email is in Outlook’s own format (winmail.dat), which only Outlook opens. Ask the sender for HTML or plain text.]'
    default:
      for (const child of part.children) {
        const content = unreadContent(child)
        if (content !== undefined) return content
      }
      return undefined
  }
}
