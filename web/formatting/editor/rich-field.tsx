import { createEffect, createRoot, createSignal, on, onCleanup, onMount } from 'solid-js'
import { render } from 'solid-js/web'
import {
  type FormatName,
  type FormattedFieldProps,
  type Handover,
  registerField,
  type WritingField,
} from '../writing-field.ts'
import { createEditor, type Editor } from './editor.ts'

const LINE_HEIGHT = 21

// Safari can't tell when it is idle.
;(window.requestIdleCallback ?? setTimeout)(warmUp)

interface RichFieldProps extends FormattedFieldProps {
  handover: Handover | undefined
}

/** The editor in a form. The form gives it a text, and gets what is typed as Markdown. */
export function RichField(props: RichFieldProps) {
  const place = document.createElement('div')
  place.style.minHeight = `${props.rows * LINE_HEIGHT}px`
  const [version, setVersion] = createSignal(0)
  let known = props.value
  const editor = createEditor({
    place,
    markdown: known,
    maxLength: props.maxLength ?? Number.POSITIVE_INFINITY,
    attributes: () => attributesOf(props),
    onChange(markdown) {
      known = markdown
      props.onInput(markdown)
    },
    onUpdate: () => setVersion((last) => last + 1),
    onKeyDown: (event) => props.onKeyDown?.(event),
    onFocus: () => props.onFocus?.(),
    onBlur: () => props.onBlur?.(),
    renderImage: (image, inside) =>
      render(() => props.renderImage?.({ kind: 'image', ...image }) ?? image.alt ?? image.name, inside),
  })
  onCleanup(editor.destroy)
  // The keyboard of a phone leaves less space for the same text.
  const sizes = new ResizeObserver(editor.showCursor)
  sizes.observe(place)
  onCleanup(() => sizes.disconnect())
  createEffect(
    on(
      () => props.value,
      (value) => {
        if (value === known) return
        known = value
        editor.setMarkdown(value)
      },
      { defer: true },
    ),
  )
  createEffect(
    on([() => props.label, () => props.placeholder, () => props.isInvalid], editor.updateAttributes),
  )
  onMount(() => takeOver(editor, props.handover))
  props.field(
    registerField({
      ...editor,
      formats: {
        ...editor.formats,
        isFormatted(name: FormatName) {
          version()
          return editor.formats.isFormatted(name)
        },
      },
    }),
  )
  return place
}

/** Writes into a hidden editor, so that the browser has compiled the code before the first one is shown. */
function warmUp(): void {
  if (document.querySelector('.formatted-field')) return
  createRoot((end) => {
    let field: WritingField | undefined
    const place = RichField({
      label: '',
      value: 'a **b** _c_ [d](https://bellhop.example)\n- e',
      rows: 1,
      handover: undefined,
      onInput() {},
      field(made) {
        field = made
      },
    })
    place.style.cssText = 'position: fixed; inset: 0 auto auto 0; visibility: hidden'
    document.body.append(place)
    field?.insert('f')
    end()
    place.remove()
  })
}

function takeOver(editor: Editor, handover: Handover | undefined): void {
  if (!handover) return
  editor.select(handover.start, handover.end)
  if (handover.hasFocus) editor.focus()
}

function attributesOf(props: FormattedFieldProps): Record<string, string> {
  return {
    class: `formatted-field formatted-text ${props.class ?? ''}`,
    ...(props.id && { id: props.id }),
    role: 'textbox',
    'aria-multiline': 'true',
    'aria-label': props.label,
    ...(props.placeholder && {
      'aria-placeholder': props.placeholder,
      'data-placeholder': props.placeholder,
    }),
    ...(props.describedBy && { 'aria-describedby': props.describedBy }),
    ...(props.isInvalid && { 'aria-invalid': 'true' }),
    ...(props.isRequired && { 'aria-required': 'true' }),
  }
}
