import { createDeferred, createMemo, createSignal, Show } from 'solid-js'
import { isFormatted } from '../../server/formatting/plain-text.ts'
import { readStored, store } from '../browser/local-storage.ts'
import './format-preview.css'
import type { FormattedTextProps } from './formatted-text.tsx'
import { LiveText } from './live-text.tsx'

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
