import Ellipsis from 'lucide-solid/icons/ellipsis'
import { createMemo, createSignal, For, Show } from 'solid-js'
import { Marked } from '../marked.tsx'
import './message-text.css'
import { splitQuote } from './quoted-text.ts'

/** A piece of a message: plain text or a link. */
type Part = { kind: 'text'; text: string } | { kind: 'link'; text: string; href: string }

/** Other schemes (`javascript:`, `data:`) stay text. Lengths are bounded, so that no input is slow. */
const LINK = /\bhttps?:\/\/[^\s<>"'`]{1,2000}|\b[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}\b/gi
/** Punctuation that ends the sentence, not the link. */
const SENTENCE_END = /[.,;:!?…'"»”]+$/

interface MessageTextProps {
  text: string
  /** Search terms to mark. */
  terms?: readonly string[]
}

/** The text of a message: line breaks kept, links clickable, quoted text folded, search terms marked. Never HTML. */
export function MessageText(props: MessageTextProps) {
  const parts = createMemo(() => splitQuote(props.text))
  const [isOpen, setOpen] = createSignal(false)
  return (
    <div class="message-text">
      <Linked text={parts().written} terms={props.terms ?? []} />
      <Show when={parts().quoted}>
        <button
          type="button"
          class="message-text-quote-toggle"
          aria-expanded={isOpen()}
          aria-label={isOpen() ? 'Hide quoted text' : 'Show quoted text'}
          title={isOpen() ? 'Hide quoted text' : 'Show quoted text'}
          onClick={() => setOpen(!isOpen())}
        >
          <Ellipsis />
        </button>
        <Show when={isOpen()}>
          <div class="message-text-quote">
            <Linked text={parts().quoted} terms={props.terms ?? []} />
          </div>
        </Show>
      </Show>
    </div>
  )
}

function Linked(props: Required<MessageTextProps>) {
  return (
    <For each={linkParts(props.text)}>
      {(part) => (
        <Show when={part.kind === 'link' && part} fallback={<Marked text={part.text} terms={props.terms} />}>
          {(link) => (
            <a href={link().href} target="_blank" rel="noopener noreferrer nofollow">
              <Marked text={link().text} terms={props.terms} />
            </a>
          )}
        </Show>
      )}
    </For>
  )
}

/** Splits text at its links. Nothing in it is treated as HTML. */
function linkParts(text: string): Part[] {
  const parts: Part[] = []
  let end = 0
  for (const match of text.matchAll(LINK)) {
    const address = trimPunctuation(match[0])
    const href = hrefOf(address)
    if (!href) continue
    if (match.index > end) parts.push({ kind: 'text', text: text.slice(end, match.index) })
    parts.push({ kind: 'link', text: address, href })
    end = match.index + address.length
  }
  if (end < text.length) parts.push({ kind: 'text', text: text.slice(end) })
  return parts
}

/** Removes punctuation after the link, and a closing bracket that was not opened inside it. */
function trimPunctuation(address: string): string {
  const bare = address.replace(SENTENCE_END, '')
  const isUnopened = bare.endsWith(')') && bare.split('(').length < bare.split(')').length
  return isUnopened ? trimPunctuation(bare.slice(0, -1)) : bare
}

function hrefOf(address: string): string | undefined {
  if (!/^https?:/i.test(address)) return `mailto:${address}`
  return URL.canParse(address) ? new URL(address).href : undefined
}
