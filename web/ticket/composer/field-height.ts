import { type Accessor, createEffect, on, onCleanup } from 'solid-js'

/** Keeps a field as high as its text; the style sheet says how high at most. Answers what takes the field. */
export function createFieldHeight(text: Accessor<string>): (field: HTMLTextAreaElement) => void {
  let field: HTMLTextAreaElement | undefined
  // The keyboard of a phone leaves less room for the same text.
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

/** For whoever writes at the end. Where else they may be in the text, a browser tells nobody. */
function showEnd(field: HTMLTextAreaElement): void {
  if (document.activeElement === field && field.selectionStart === field.value.length) {
    field.scrollTop = field.scrollHeight
  }
}
