import { createEffect, on } from 'solid-js'
import { isComposing } from '../keys/composing.ts'
import { pressOf } from '../keys/presses.ts'
import { undoLast } from './undo.ts'

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
  let field: HTMLTextAreaElement | undefined

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

  createEffect(
    on(
      () => props.text,
      () => field && fit(field),
    ),
  )

  return (
    <textarea
      class="composer-field"
      aria-label={props.label}
      placeholder={props.placeholder}
      rows={2}
      maxLength={LONGEST_TEXT}
      value={props.text}
      ref={(element) => {
        field = element
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

/** As high as its text; the style sheet says how high at most. */
function fit(field: HTMLTextAreaElement): void {
  field.style.height = 'auto'
  field.style.height = `${field.scrollHeight}px`
}
