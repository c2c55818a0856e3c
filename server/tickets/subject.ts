import { lengthOf, oneLine } from '../text/text.ts'

const MAX_LENGTH = 80
const NO_SUBJECT = '(no text)'

/**
 * The subject for a ticket that was opened with a message only: the first line, up to the last word that fits, or the
 * name of the first file.
 */
export function subjectOf(text: string, fileName: string | undefined): string {
  const line = oneLine(text.split('\n').find((each) => oneLine(each) !== '') ?? '')
  if (lengthOf(line) > MAX_LENGTH) {
    const start = [...line].slice(0, MAX_LENGTH - 1).join('')
    return `${start.replace(/(?<=.{20}) \S*$/, '')}…`
  }
  if (line !== '') return line
  return fileName ?? NO_SUBJECT
}
