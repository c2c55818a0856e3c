import { CopyButton } from '../ui/copy-button.tsx'
import './code-block.css'

interface CodeBlockProps {
  code: string
  /** What it is, for screen readers: "Example request". */
  label: string
  /** Allows more height before the text scrolls. */
  isTall?: boolean
}

/** JSON with indentation. Other text is returned unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

/** Code with a copy button. */
export function CodeBlock(props: CodeBlockProps) {
  return (
    <div class="code-block" data-tall={props.isTall || undefined}>
      {/* The text scrolls, so the keyboard must be able to focus it. */}
      <section class="code-block-text" tabindex={0} aria-label={props.label}>
        <pre>
          <code>{props.code}</code>
        </pre>
      </section>
      <CopyButton text={props.code} name={`Copy ${props.label.toLowerCase()}`} />
    </div>
  )
}
