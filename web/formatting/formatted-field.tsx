import { type Accessor, createEffect, createSignal, on, onCleanup, Show, untrack } from 'solid-js'
import { escapeMarkdown } from '../../server/formatting/plain-text.ts'
import { insertText, selectedIn } from './apply-edit.ts'
import { editorField, loadEditor } from './load-editor.ts'
import { type FormattedFieldProps, type Handover, registerField, type WritingField } from './writing-field.ts'
import './formatted-field.css'
import './formatted-text.css'

/**
 * Where a formatted text is written: in the editor, or as Markdown in a plain field, until the editor is loaded and for
 * agents who prefer that. Text and cursor move over, even in the middle of a word.
 */
export function FormattedField(props: FormattedFieldProps) {
  loadEditor()
  const [shown, setShown] = createSignal(untrack(editorField))
  const [isComposing, setComposing] = createSignal(false)
  let textarea: HTMLTextAreaElement | undefined
  let handover: Handover | undefined
  // An input method would lose the word that it is composing.
  createEffect(() => {
    const rich = editorField()
    if (isComposing() || rich === untrack(shown)) return
    handover = textarea?.isConnected
      ? {
          start: textarea.selectionStart,
          end: textarea.selectionEnd,
          hasFocus: document.activeElement === textarea,
        }
      : undefined
    setShown(() => rich)
  })
  return (
    <Show
      when={shown()}
      fallback={
        <MarkdownField
          {...props}
          element={(element) => {
            textarea = element
          }}
          onComposing={setComposing}
        />
      }
    >
      {(rich) => {
        const RichField = rich()
        return <RichField {...props} handover={handover} />
      }}
    </Show>
  )
}

interface MarkdownFieldProps extends FormattedFieldProps {
  element: (element: HTMLTextAreaElement) => void
  onComposing: (isComposing: boolean) => void
}

function MarkdownField(props: MarkdownFieldProps) {
  const keepHeight = createFieldHeight(() => props.value)
  return (
    <textarea
      id={props.id}
      class={props.class}
      dir="auto"
      aria-label={props.label}
      aria-describedby={props.describedBy}
      aria-invalid={props.isInvalid || undefined}
      required={props.isRequired}
      placeholder={props.placeholder}
      rows={props.rows}
      maxLength={props.maxLength}
      value={props.value}
      ref={(element) => {
        props.element(element)
        keepHeight(element)
        props.field(registerField(textareaField(element)))
      }}
      onInput={(event) => props.onInput(event.currentTarget.value)}
      onKeyDown={(event) => props.onKeyDown?.(event)}
      onFocus={() => props.onFocus?.()}
      onBlur={() => props.onBlur?.()}
      onCompositionStart={() => props.onComposing(true)}
      onCompositionEnd={() => props.onComposing(false)}
    />
  )
}

/** A textarea in which Markdown is written. */
function textareaField(element: HTMLTextAreaElement): WritingField {
  const isAfter = (isFit: (before: string) => boolean) => {
    const { text, start, end } = selectedIn(element)
    return start === end && isFit(text.slice(0, start).at(-1) ?? '')
  }
  return {
    element,
    focus: () => element.focus(),
    insert: (markdown) => insertText(element, markdown),
    insertText: (text) => insertText(element, text),
    append(text, format) {
      const { value } = element
      const added = format === 'plain' ? escapeMarkdown(text) : text
      element.setSelectionRange(value.length, value.length)
      insertText(element, value.trim() === '' ? added : `\n\n${added}`)
    },
    isAtLineStart: () => isAfter((before) => before === '' || before === '\n'),
    isAtWordStart: () => isAfter((before) => !/[\p{L}\p{N}]/u.test(before)),
  }
}

/** Keeps a field as high as its text, up to the limit in the style sheet. Returns the function that receives the field. */
function createFieldHeight(text: Accessor<string>): (field: HTMLTextAreaElement) => void {
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
