import { keyComboOf } from '../../keyboard/key-combo.ts'
import { isComposing } from '../../ui/ime.ts'
import { undoLast } from '../changes/undo.ts'
import { createFieldHeight } from './field-height.ts'

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
