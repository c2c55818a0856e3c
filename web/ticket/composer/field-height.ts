import { type Accessor, createEffect, on, onCleanup } from 'solid-js'

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
