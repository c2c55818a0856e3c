import { createDeferred, createEffect, createMemo, createSignal, Show } from 'solid-js'
import { isFormatted } from '../../server/formatting/plain-text.ts'
import { readStored, store } from '../browser/local-storage.ts'
import { FormattedText, type FormattedTextProps } from './formatted-text.tsx'

const KEY = 'bellhop.preview'
/** A long text is shown when the typing pauses. */
const MAX_DELAY_MS = 400

const [isShown, setShown] = createSignal(readStored(KEY, (value) => typeof value === 'boolean', true))

/** Whether this browser shows previews. */
export const isPreviewShown = isShown

export function showPreview(next: boolean): void {
  setShown(next)
  store(KEY, next)
}

interface FormatPreviewProps extends Pick<FormattedTextProps, 'text' | 'renderImage'> {
  field: () => HTMLTextAreaElement | undefined
}

/** A text as it will look, below its field. Nothing while it has no formatting: then it looks as it is typed. */
export function FormatPreview(props: FormatPreviewProps) {
  const text = createDeferred(() => props.text, { timeoutMs: MAX_DELAY_MS })
  const isNeeded = createMemo(() => isShown() && isFormatted(text()))

  /** Shows the part that is being written. */
  function followCursor({ parentElement: preview }: HTMLElement) {
    const field = props.field()
    if (!field || !preview) return
    const share = field.value.length === 0 ? 0 : field.selectionEnd / field.value.length
    preview.scrollTop = share * (preview.scrollHeight - preview.clientHeight)
  }

  return (
    <Show when={isNeeded()}>
      <section class="format-preview" aria-label="Preview">
        <h2>Preview</h2>
        <LiveText text={text()} renderImage={props.renderImage} onShown={followCursor} />
      </section>
    </Show>
  )
}

interface LiveTextProps extends FormattedTextProps {
  /** After each change. */
  onShown?: (shown: HTMLElement) => void
}

/**
 * A formatted text that changes while it is typed. It keeps the nodes that are alike: when a node is removed from the page,
 * Chromium ends the typing that one undo takes back, and undo would go letter by letter.
 */
export function LiveText(props: LiveTextProps) {
  const shown = document.createElement('div')
  createEffect(() => {
    const text = props.text
    const next = <FormattedText text={text} renderText={props.renderText} renderImage={props.renderImage} />
    if (next instanceof Element) updateInPlace(shown, next)
    props.onShown?.(shown)
  })
  return shown
}

/** Makes an element look like another one, which may lose its nodes. */
function updateInPlace(shown: Element, next: Element): void {
  for (const { name } of [...shown.attributes]) if (!next.hasAttribute(name)) shown.removeAttribute(name)
  for (const { name, value } of next.attributes) {
    if (shown.getAttribute(name) !== value) shown.setAttribute(name, value)
  }
  const nodes = [...next.childNodes]
  for (const [at, node] of nodes.entries()) {
    const known = shown.childNodes[at]
    if (!known) shown.append(node)
    else if (known instanceof Text && node instanceof Text) {
      if (known.data !== node.data) known.data = node.data
    } else if (known instanceof Element && node instanceof Element && known.nodeName === node.nodeName) {
      updateInPlace(known, node)
    } else known.replaceWith(node)
  }
  while (shown.childNodes.length > nodes.length) shown.lastChild?.remove()
}
