import { withoutDirectionControls } from '../text/direction-controls.ts'
import { lengthOf } from '../text/text.ts'

/** In code points. */
export const MAX_FILE_NAME_LENGTH = 255
const CONTROL = /\p{Cc}/gu
const FALLBACK = 'file'

/**
 * A file name that is safe to show and to save under: without folders, control characters, and characters that reverse
 * text. It is only ever shown; no file in the data folder is named like this.
 */
export function cleanFileName(given: string): string {
  const last = given.toWellFormed().replaceAll('\\', '/').split('/').findLast(Boolean) ?? ''
  const name = withoutDirectionControls(last).replaceAll(CONTROL, '').trim()
  return /^[. ]*$/.test(name) ? FALLBACK : shortened(name)
}

/** Keeps the extension. */
function shortened(name: string): string {
  if (lengthOf(name) <= MAX_FILE_NAME_LENGTH) return name
  const extension = /\.[^.\s]{1,16}$/.exec(name)?.[0] ?? ''
  const kept = [...name.slice(0, name.length - extension.length)]
  return kept.slice(0, MAX_FILE_NAME_LENGTH - lengthOf(extension)).join('') + extension
}

/** The extension in lower case without the dot; empty when there is none. */
export function extensionOf(name: string): string {
  return /\.([a-z0-9]{1,16})$/i.exec(name)?.[1]?.toLowerCase() ?? ''
}

/**
 * `Content-Disposition` with the name for old and new clients (RFC 6266, with the encoding of RFC 8187).
 */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const ascii = name
    .normalize('NFKD')
    .replaceAll(/[^\x20-\x7e]/g, '')
    .replaceAll(/["\\%]/g, '_')
    .trim()
  const encoded = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${kind}; filename="${ascii || FALLBACK}"; filename*=UTF-8''${encoded}`
}
