import type { Edit, Selected } from './markdown-edits.ts'

/** Chromium types line by line: 100 lines take 0.2 s, and 1,000 would take several seconds. Longer edits can't be undone. */
const MAX_TYPED_LINES = 200

export function selectedIn({
  value: text,
  selectionStart: start,
  selectionEnd: end,
}: HTMLTextAreaElement): Selected {
  return { text, start, end }
}

/** Inserts text at the cursor, as if it were typed. */
export function insertText(field: HTMLTextAreaElement, insert: string): void {
  const { start: from, end: to } = selectedIn(field)
  applyEdit(field, { from, to, insert, start: from + insert.length, end: from + insert.length })
}

/**
 * Changes the text of a field as if it were typed, so that the browser can undo it as one step and the page hears of it.
 * Returns false without an edit.
 */
export function applyEdit(field: HTMLTextAreaElement, edit: Edit | undefined): boolean {
  if (!edit) return false
  const { from, to, insert, start, end } = edit
  field.focus()
  if (insert !== field.value.slice(from, to)) {
    field.setSelectionRange(from, to)
    const isTyped = insert.split('\n').length <= MAX_TYPED_LINES && type(insert)
    if (!isTyped) field.setRangeText(insert, from, to, 'end')
    field.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  field.setSelectionRange(start, end)
  return true
}

/** The only way to change a field that keeps what the browser can undo. The page hears of each line unless it is kept away. */
function type(insert: string): boolean {
  const keepAway = (event: Event) => event.stopImmediatePropagation()
  window.addEventListener('input', keepAway, { capture: true })
  const isDone =
    insert === '' ? document.execCommand('delete') : document.execCommand('insertText', false, insert)
  window.removeEventListener('input', keepAway, { capture: true })
  return isDone
}
