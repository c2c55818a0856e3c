import { withoutDirectionControls } from '../../../text/direction-controls.ts'

/** C0 and C1 control characters but tab and line feed, and the byte order mark. PostgreSQL refuses NUL. */
const CONTROL = /(?![\t\n])[\p{Cc}\ufeff]/gu
const LINE_BREAK = /\r\n?|[\u2028\u2029]/g
const BLANKS = /[\s\p{Cc}\ufeff]+/gu

/** Text of several lines, separated by line feeds, without control characters. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(LINE_BREAK, '\n').replace(CONTROL, '')
}

/** Text of one line: every run of blanks and control characters is one space. */
export function cleanLine(text: string, maxLength: number): string {
  return firstCodePoints(text.toWellFormed().replace(BLANKS, ' ').trim(), maxLength).trimEnd()
}

/** A name that reads as it is: one line without direction marks. */
export function cleanName(name: string, maxLength: number): string {
  return cleanLine(withoutDirectionControls(name), maxLength)
}

/** The beginning of a text, at most `count` code points long. */
export function firstCodePoints(text: string, count: number): string {
  if (text.length <= count) return text
  let end = 0
  for (let left = count; left > 0 && end < text.length; left--) {
    end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}
