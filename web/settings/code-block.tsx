import { CopyButton } from '../ui/copy-button.tsx'
import './code-block.css'

interface CodeBlockProps {
  code: string
  /** What it is, for screen readers: "Example request". */
  label: string
  /** Long texts scroll inside. */
  isTall?: boolean
}

/** A piece of text for a machine, with a button to copy it. It scrolls, so the keyboard may go into it. */
export function CodeBlock(props: CodeBlockProps) {
  return (
    <div class="code-block" data-tall={props.isTall || undefined}>
      {/* It scrolls inside, so keys have to reach it. */}
      <section class="code-block-text" tabindex={0} aria-label={props.label}>
        <pre>
          <code>{props.code}</code>
        </pre>
      </section>
      <CopyButton text={props.code} name={`Copy ${props.label.toLowerCase()}`} />
    </div>
  )
}
