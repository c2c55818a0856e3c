import Ellipsis from 'lucide-solid/icons/ellipsis'
import { createMemo, createSignal, For, Show } from 'solid-js'
import { Marked } from '../../ui/marked.tsx'
import './message-text.css'
import { linkParts, splitQuote } from './message-parts.ts'

interface MessageTextProps {
  text: string
  /** Words that were searched for. */
  terms?: readonly string[]
}

/** What somebody wrote: lines kept, links to open, quoted mail folded, search words marked. Never HTML. */
export function MessageText(props: MessageTextProps) {
  const parts = createMemo(() => splitQuote(props.text))
  const [isOpen, setOpen] = createSignal(false)
  return (
    <div class="message-text">
      <Linked text={parts().said} terms={props.terms ?? []} />
      <Show when={parts().quoted}>
        <button
          type="button"
          class="quote-toggle"
          aria-expanded={isOpen()}
          aria-label={isOpen() ? 'Hide quoted mail' : 'Show quoted mail'}
          title={isOpen() ? 'Hide quoted mail' : 'Show quoted mail'}
          onClick={() => setOpen(!isOpen())}
        >
          <Ellipsis />
        </button>
        <Show when={isOpen()}>
          <div class="quote">
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
