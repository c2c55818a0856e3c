import { pressOf } from '../../keyboard/key-combo.ts'
import { isComposing } from '../../ui/ime.ts'
import { undoLast } from '../changes/undo.ts'
import { createFieldHeight } from './field-height.ts'

const LONGEST_TEXT = 65_536

interface ComposerFieldProps {
  label: string
  placeholder: string
  text: string
  onWrite: (text: string) => void
  /** A `/` at the beginning of a line. */
  onSlash: () => void
  onFocus: () => void
  onBlur: () => void
  ref: (field: HTMLTextAreaElement) => void
}

/** Grows with what is written in it. */
export function ComposerField(props: ComposerFieldProps) {
  const keepHeight = createFieldHeight(() => props.text)

  function onKeyDown(event: KeyboardEvent) {
    if (isComposing(event)) return
    if (event.key === '/' && isAtLineStart(event.currentTarget)) {
      event.preventDefault()
      props.onSlash()
    } else if (pressOf(event) === 'mod+z' && !props.text.trim()) {
      // Nothing here to undo by the browser: the last thing that was done is meant, such as sending.
      event.preventDefault()
      void undoLast()
    }
  }

  return (
    <textarea
      class="composer-field"
      aria-label={props.label}
      placeholder={props.placeholder}
      rows={2}
      maxLength={LONGEST_TEXT}
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
