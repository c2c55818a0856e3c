import { createMemo, createSignal, For, Show } from 'solid-js'
import { linkParts } from '../../../server/formatting/links.ts'
import { FormattedText } from '../../formatting/formatted-text.tsx'
import { type Attachment, attachmentUrl, besideText, pictureNamed } from '../attachments/attachment-type.ts'
import { Attachments } from '../attachments/attachments.tsx'
import { viewOnClick } from '../attachments/view-on-click.ts'
import { Marked } from '../marked.tsx'
import { splitQuotes } from './quotes.ts'
import './message-group.css'

import Ellipsis from 'lucide-solid/icons/ellipsis'

interface MessageTextProps {
  text: string
  format: 'plain' | 'markdown'
  /** Search terms to mark. */
  terms?: readonly string[]
  /** Files of the message, of which the text names pictures. */
  attachments?: readonly Attachment[] | undefined
  /** Quoted text is already cut off. */
  isCut?: boolean
}

/** The text of a message, with links and search terms marked: an agent's with its formatting, others as they are. */
export function MessageText(props: MessageTextProps) {
  return (
    <div class="message-text">
      <Show
        when={props.format === 'markdown'}
        fallback={<PlainText text={props.text} terms={props.terms ?? []} isCut={props.isCut ?? false} />}
      >
        <FormattedText
          text={props.text}
          renderText={(text) => <Marked text={text} terms={props.terms ?? []} />}
          renderImage={(image) => (
            <TextPicture name={image.name} alt={image.alt} attachments={props.attachments} />
          )}
        />
      </Show>
    </div>
  )
}

/** The text of an agent's message, and its files. */
export function MessageContent(props: Omit<MessageTextProps, 'isCut'>) {
  return (
    <>
      <MessageText {...props} />
      <Attachments attachments={besideText(props.attachments, props)} />
    </>
  )
}

interface LinkedProps {
  text: string
  terms: readonly string[]
}

/** Line breaks are kept, links clickable, and quoted text folded. Never HTML. */
function PlainText(props: LinkedProps & { isCut: boolean }) {
  const parts = createMemo(() => (props.isCut ? { text: props.text, quoted: '' } : splitQuotes(props.text)))
  const [isOpen, setOpen] = createSignal(false)
  return (
    <div class="message-text-plain" dir="auto">
      <Linked text={parts().text} terms={props.terms} />
      <Show when={parts().quoted}>
        <QuoteToggle isOpen={isOpen()} onToggle={() => setOpen(!isOpen())} />
        <Show when={isOpen()}>
          <div class="message-text-quote">
            <Linked text={parts().quoted} terms={props.terms} />
          </div>
        </Show>
      </Show>
    </div>
  )
}

/** Three dots in place of quoted text. */
export function QuoteToggle(props: { isOpen: boolean; onToggle: () => void }) {
  const name = () => (props.isOpen ? 'Hide quoted text' : 'Show quoted text')
  return (
    <button
      type="button"
      class="message-text-quote-toggle"
      aria-expanded={props.isOpen}
      aria-label={name()}
      title={name()}
      onClick={() => props.onToggle()}
    >
      <Ellipsis />
    </button>
  )
}

function Linked(props: LinkedProps) {
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

interface TextPictureProps {
  /** Of its file. */
  name: string
  alt: string
  /** Files of the message. */
  attachments: readonly Attachment[] | undefined
}

/** A picture where the text of a message names it. Its size is known before it loads, so that nothing moves. */
export function TextPicture(props: TextPictureProps) {
  return (
    <Show when={pictureNamed(props.attachments, props.name)} fallback={props.alt}>
      {(picture) => (
        <a
          class="text-picture"
          href={attachmentUrl(picture().id)}
          target="_blank"
          rel="noopener"
          aria-haspopup="dialog"
          aria-label={`View ${props.alt || picture().name}`}
          data-image={picture().id}
          onClick={(event) => viewOnClick(event, picture().id)}
        >
          <img
            src={attachmentUrl(picture().id)}
            alt={props.alt}
            width={picture().width}
            height={picture().height}
            loading="lazy"
            decoding="async"
          />
        </a>
      )}
    </Show>
  )
}
