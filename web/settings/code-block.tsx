import { Show } from 'solid-js'
import { CopyButton } from '../ui/copy-button.tsx'
import { DocsLink } from '../ui/docs-link.tsx'

/** JSON with indentation. Other text is returned unchanged. */
export function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}

interface CodeBlockProps {
  code: string
  /** What it is, for screen readers: "Example request". */
  label: string
  /** Allows more height before the text scrolls. */
  isTall?: boolean
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

/** Says that others cannot open a link, or load a script, because the server doesn't know its public address. */
export function LocalAddress(props: { url: string; what: string }) {
  return (
    <Show when={isLocal(props.url)}>
      <p class="notice">
        {props.what} works on this machine only. Set <code>BELLHOP_URL</code> to the address that people use
        for Bellhop. <DocsLink to="/docs/settings">Settings</DocsLink>
      </p>
    </Show>
  )
}

function isLocal(url: string): boolean {
  const name = URL.parse(url)?.hostname ?? ''
  return name === 'localhost' || name.startsWith('127.') || name === '[::1]' || name === '0.0.0.0'
}
