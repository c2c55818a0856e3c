import { type ComponentProps, createSignal, Show, splitProps } from 'solid-js'
import { TextArea } from '../ui/text-field.tsx'
import { FormatPreview } from './format-preview.tsx'
import { FormatToolbar } from './format-toolbar.tsx'
import './format-toolbar.css'

interface MarkdownAreaProps extends Omit<ComponentProps<typeof TextArea>, 'ref' | 'aside'> {
  /** The page shows its own preview. */
  hasOwnPreview?: boolean
  ref?: (field: HTMLTextAreaElement) => void
}

/** A labeled field for a formatted text, with its toolbar and a preview. */
export function MarkdownArea(props: MarkdownAreaProps) {
  const [own, rest] = splitProps(props, ['ref', 'hasOwnPreview', 'class'])
  const [field, setField] = createSignal<HTMLTextAreaElement>()
  return (
    <div class="markdown-area">
      <TextArea
        {...rest}
        ref={(element) => {
          setField(element)
          own.ref?.(element)
        }}
        below={<FormatToolbar field={field} hasPreview={!own.hasOwnPreview} />}
      />
      <Show when={!own.hasOwnPreview}>
        <FormatPreview text={props.value} field={field} />
      </Show>
    </div>
  )
}
