import { applyEdit, selectedIn } from './apply-edit.ts'
import { linkAt, putLink } from './link-edits.ts'
import { toggleLines, toggleMark } from './markdown-edits.ts'
import type { FieldFormats, FormatName } from './writing-field.ts'

/** What the toolbar does to a textarea in which Markdown is written. */
export function textareaFormats(element: HTMLTextAreaElement): FieldFormats {
  const linkPlace = () => {
    const selected = selectedIn(element)
    const known = linkAt(selected)
    const { from, to } = known ?? { from: selected.start, to: selected.end }
    return { from, to, known, text: selected.text.slice(from, to) }
  }
  return {
    format: (name) => void applyEdit(element, editFor(element, name)),
    isFormatted: () => undefined,
    link() {
      const { known, text } = linkPlace()
      return { label: known?.label ?? text, address: known?.address ?? '', isLink: known !== undefined }
    },
    setLink(label, href) {
      const { from, to } = linkPlace()
      const end = from + label.length
      const removed = { from, to, insert: label, start: end, end }
      applyEdit(element, href === undefined ? removed : putLink({ from, to }, label, href))
    },
  }
}

function editFor(element: HTMLTextAreaElement, name: FormatName) {
  const selected = selectedIn(element)
  switch (name) {
    case 'bold':
    case 'italic':
    case 'code':
      return toggleMark(selected, name)
    default:
      return toggleLines(selected, name)
  }
}
