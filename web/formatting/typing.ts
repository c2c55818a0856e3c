import { onCleanup } from 'solid-js'
import { isComposing } from '../ui/ime.ts'
import { applyEdit, selectedIn } from './apply-edit.ts'
import { pasteAsLink } from './link-edits.ts'
import { type Edit, isInCodeBlock, LINE_START, lineEnd, lineStart, type Selected } from './markdown-edits.ts'

/** Continues lists and quotes on Enter, and makes links of addresses pasted over text, until the owner is disposed. */
export function assistTyping(field: HTMLTextAreaElement): void {
  function onKeyDown(event: KeyboardEvent) {
    const hasModifier = event.shiftKey || event.ctrlKey || event.metaKey || event.altKey
    if (event.key !== 'Enter' || hasModifier || event.defaultPrevented || isComposing(event)) return
    if (applyEdit(field, continueLine(selectedIn(field)))) event.preventDefault()
  }
  function onPaste(event: ClipboardEvent) {
    const pasted = event.clipboardData?.getData('text/plain') ?? ''
    if (applyEdit(field, pasteAsLink(selectedIn(field), pasted))) event.preventDefault()
  }
  field.addEventListener('keydown', onKeyDown)
  field.addEventListener('paste', onPaste)
  onCleanup(() => {
    field.removeEventListener('keydown', onKeyDown)
    field.removeEventListener('paste', onPaste)
  })
}

/** Enter in a list or a quote begins its next item or line. In an empty item or line, Enter ends the list or quote. */
export function continueLine({ text, start, end }: Selected): Edit | undefined {
  const from = lineStart(text, start)
  const line = text.slice(from, start)
  const match = LINE_START.exec(line)
  const [mark = '', around = '', bullet, , number, sign] = match ?? []
  const isItem = bullet !== undefined || number !== undefined
  if ((!isItem && !around.includes('>')) || isInCodeBlock({ text, start, end })) return undefined
  const isEmpty = line.length === mark.length && text.slice(start, lineEnd(text, start)).trim() === ''
  if (isEmpty && start === end) {
    const left = isItem ? around.trimEnd() && around : ''
    return { from, to: start, insert: left, start: from + left.length, end: from + left.length }
  }
  const spaces = mark.slice(mark.trimEnd().length)
  const next = bullet ?? (number === undefined ? '' : `${Number(number) + 1}${sign}`)
  const insert = isItem ? `\n${around}${next}${spaces}` : `\n${around}`
  const cursor = start + insert.length
  return { from: start, to: end, insert, start: cursor, end: cursor }
}
