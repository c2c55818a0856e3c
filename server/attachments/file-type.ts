import { extensionOf } from './file-name.ts'

/** Types that a browser shows as an image and that can't run anything. */
const INLINE = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif'])
/** Images that every mail program shows within a text. */
const IN_EMAIL = new Set(['image/png', 'image/jpeg', 'image/gif'])
/** Types that a browser could run. They leave the server as bytes without a type. */
const ACTIVE = /^(?:text\/html|image\/svg\+xml|(?:text|application)\/(?:xml|javascript)|.*\+xml)$/
const UNKNOWN = 'application/octet-stream'

/** What a file begins with: characters of one byte each, or a number of bytes that can be anything. */
const SIGNATURES: [parts: (string | number)[], type: string][] = [
  [['\x89PNG\r\n\x1a\n'], 'image/png'],
  [['\xff\xd8\xff'], 'image/jpeg'],
  [['GIF87a'], 'image/gif'],
  [['GIF89a'], 'image/gif'],
  [['RIFF', 4, 'WEBP'], 'image/webp'],
  [[4, 'ftypavif'], 'image/avif'],
  [[4, 'ftypavis'], 'image/avif'],
  [[4, 'ftyphei'], 'image/heic'],
  [[4, 'ftyphev'], 'image/heic'],
  [[4, 'ftypmif1'], 'image/heic'],
  [[4, 'ftypmsf1'], 'image/heic'],
  [['BM', 4, '\0\0\0\0'], 'image/bmp'],
  [['II*\0'], 'image/tiff'],
  [['MM\0*'], 'image/tiff'],
  [['\0\0\x01\0'], 'image/x-icon'],
  [['%PDF-'], 'application/pdf'],
  [['PK\x03\x04'], 'application/zip'],
  [['PK\x05\x06'], 'application/zip'],
  [['PK\x07\x08'], 'application/zip'],
  [['\x1f\x8b'], 'application/gzip'],
  [["7z\xbc\xaf'\x1c"], 'application/x-7z-compressed'],
  [['Rar!\x1a\x07'], 'application/vnd.rar'],
  [[4, 'ftypqt  '], 'video/quicktime'],
  [[4, 'ftypM4A'], 'audio/mp4'],
  [[4, 'ftyp'], 'video/mp4'],
  [['\x1aE\xdf\xa3'], 'video/webm'],
  [['RIFF', 4, 'AVI '], 'video/x-msvideo'],
  [['RIFF', 4, 'WAVE'], 'audio/wav'],
  [['ID3'], 'audio/mpeg'],
  [['\xff\xfb'], 'audio/mpeg'],
  [['\xff\xf3'], 'audio/mpeg'],
  [['OggS'], 'audio/ogg'],
  [['fLaC'], 'audio/flac'],
  [['{\\rtf'], 'application/rtf'],
  [['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'], 'application/x-ole-storage'],
  [['MZ'], 'application/x-executable'],
  [['\x7fELF'], 'application/x-executable'],
]

/** Formats that are a container of another one, or plain text. The extension tells them apart. */
const WITHIN: Record<string, Record<string, string>> = {
  'application/zip': {
    docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
    odt: 'application/vnd.oasis.opendocument.text',
    ods: 'application/vnd.oasis.opendocument.spreadsheet',
    odp: 'application/vnd.oasis.opendocument.presentation',
    epub: 'application/epub+zip',
    pages: 'application/vnd.apple.pages',
    numbers: 'application/vnd.apple.numbers',
    key: 'application/vnd.apple.keynote',
  },
  'application/x-ole-storage': {
    doc: 'application/msword',
    xls: 'application/vnd.ms-excel',
    ppt: 'application/vnd.ms-powerpoint',
    msg: 'application/vnd.ms-outlook',
  },
  'text/plain': {
    csv: 'text/csv',
    md: 'text/markdown',
    json: 'application/json',
    ics: 'text/calendar',
    vcf: 'text/vcard',
    eml: 'message/rfc822',
    css: 'text/css',
    js: 'text/javascript',
    mjs: 'text/javascript',
  },
}

/** What can come before the first tag: a mark of the encoding, space, comments, the XML declaration and the document type. */
const PROLOG = /^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?(?:\s|<!--.*?-->|<\?.*?\?>|<!doctype[^>[]*>)*/is
/** Tags that a browser takes for HTML at the start of a file (https://mimesniff.spec.whatwg.org), and more. */
const HTML_TAG =
  /^<(?:html|head|body|script|iframe|style|title|table|div|meta|link|base|form|img|a|p|h[1-6]|br|b)[\s/>]/i
const SVG_TAG = /^<(?:[\w-]+:)?svg[\s/>]/i
const HTML_ELEMENT = /^<(?:[\w-]+:)?html[\s/>]/i
/** Bytes in which HTML and SVG are recognized. */
const TEXT_SAMPLE_BYTES = 16 * 1024

/**
 * The media type of a file, from its first bytes; the name only refines it. What begins like HTML or SVG is that,
 * whatever its name. An own table instead of a package: only about thirty types matter in support, and none of them needs more
 * than its first bytes.
 */
export function sniffType(head: Uint8Array, name: string): string {
  const start = Buffer.from(head.subarray(0, TEXT_SAMPLE_BYTES)).toString('latin1')
  const extension = extensionOf(name)
  const type = SIGNATURES.find(([parts]) => beginsWith(start, parts))?.[1] ?? textType(start)
  return WITHIN[type]?.[extension] ?? type
}

function beginsWith(start: string, parts: (string | number)[]): boolean {
  let at = 0
  return parts.every((part) => {
    const from = at
    at += typeof part === 'number' ? part : part.length
    return typeof part === 'number' || start.startsWith(part, from)
  })
}

/** `start` has one character per byte. */
function textType(start: string): string {
  // UTF-16 has a NUL in every other byte of a tag.
  const text = start.replaceAll('\0', '')
  const prolog = PROLOG.exec(text)?.[0] ?? ''
  const rest = text.slice(prolog.length)
  const isXml = prolog.includes('<?xml')
  if (SVG_TAG.test(rest) || /^<!doctype\s+svg/i.test(rest)) return 'image/svg+xml'
  if (/<!doctype\s+html/i.test(prolog) || HTML_ELEMENT.test(rest)) return 'text/html'
  if (isXml) return 'application/xml'
  if (HTML_TAG.test(rest)) return 'text/html'
  const isUtf16 = /^(?:\xff\xfe|\xfe\xff)/.test(start)
  return isUtf16 || !start.split('').some(isBinary) ? 'text/plain' : UNKNOWN
}

/** Control characters that no text has. An escape can be part of a character set (ISO-2022-JP). */
function isBinary(character: string): boolean {
  const code = character.charCodeAt(0)
  return code < 0x20 && ![0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1b].includes(code)
}

/** Whether a browser may show a file of this type in the page. */
export function isShownInline(type: string): boolean {
  return INLINE.has(type)
}

/** Whether every mail program shows a file of this type within a text. */
export function isShownInEmail(type: string): boolean {
  return IN_EMAIL.has(type)
}

/** The `Content-Type` of a download. */
export function downloadType(type: string): string {
  if (ACTIVE.test(type)) return UNKNOWN
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}
