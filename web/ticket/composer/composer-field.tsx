import { type Accessor, createEffect, on, onCleanup } from 'solid-js'
import { keyComboOf } from '../../keyboard/key-combo.ts'
import { isComposing } from '../../ui/ime.ts'
import { undoLast } from '../changes/undo.ts'

/** The limit of the API: `MAX_MESSAGE_LENGTH` in server/tickets/messages.ts. */
const MAX_TEXT_LENGTH = 65_536

interface ComposerFieldProps {
  label: string
  placeholder: string
  text: string
  onWrite: (text: string) => void
  /** A `/` at the start of a line. */
  onSlash: () => void
  onFocus: () => void
  onBlur: () => void
  ref: (field: HTMLTextAreaElement) => void
}

/** Grows with its text. */
export function ComposerField(props: ComposerFieldProps) {
  const keepHeight = createFieldHeight(() => props.text)

  function onKeyDown(event: KeyboardEvent) {
    if (isComposing(event)) return
    if (event.key === '/' && isAtLineStart(event.currentTarget)) {
      event.preventDefault()
      props.onSlash()
    } else if (keyComboOf(event) === 'mod+z' && !props.text.trim()) {
      // The field is empty: undo the last action, such as sending.
      event.preventDefault()
      void undoLast()
    }
  }

  return (
    <textarea
      class="composer-field"
      dir="auto"
      aria-label={props.label}
      placeholder={props.placeholder}
      rows={2}
      maxLength={MAX_TEXT_LENGTH}
      value={props.text}
      ref={(element) => {
        keepHeight(element)
        props.ref(element)
      }}
      onInput={(event) => props.onWrite(event.currentTarget.value)}
      onKeyDown={onKeyDown}
      onFocus={props.onFocus}
      onBlur={props.onBlur}
    />
  )
}

function isAtLineStart(field: EventTarget | null): boolean {
  if (!(field instanceof HTMLTextAreaElement) || field.selectionStart !== field.selectionEnd) return false
  return field.selectionStart === 0 || field.value[field.selectionStart - 1] === '\n'
}

/** Keeps a field as high as its text, up to the limit in the style sheet. Returns the function that receives the field. */
export function createFieldHeight(text: Accessor<string>): (field: HTMLTextAreaElement) => void {
  let field: HTMLTextAreaElement | undefined
  // The keyboard of a phone leaves less space for the same text.
  const sizes = new ResizeObserver(() => field && showEnd(field))
  onCleanup(() => sizes.disconnect())
  createEffect(on(text, () => field && fit(field)))
  return (element) => {
    field = element
    sizes.observe(element)
  }
}

function fit(field: HTMLTextAreaElement): void {
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
  // Browsers scroll just far enough to show the cursor, and its height depends on the font.
  showEnd(field)
}

/** While the cursor is at the end. Browsers do not tell its place on the page anywhere else in the text. */
function showEnd(field: HTMLTextAreaElement): void {
  if (document.activeElement === field && field.selectionStart === field.value.length) {
    field.scrollTop = field.scrollHeight
  }
}
