import Ellipsis from 'lucide-solid/icons/ellipsis'
import { createMemo, createSignal, For, Show } from 'solid-js'
import { Marked } from '../../ui/marked.tsx'
import './message-text.css'
import { linkParts } from './links.ts'
import { splitQuote } from './quoted-text.ts'

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
