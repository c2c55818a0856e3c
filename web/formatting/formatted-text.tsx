import { createMemo, For, type JSX } from 'solid-js'
import type { Inline } from '../../server/formatting/inline.ts'
import { type Block, parseMarkdown } from '../../server/formatting/markdown.ts'
import './formatted-text.css'

/** Renders a piece of text, such as with search hits marked. */
type RenderText = (text: string) => JSX.Element
type RenderImage = (image: Extract<Inline, { kind: 'image' }>) => JSX.Element

interface Renderers {
  renderText: RenderText
  renderImage: RenderImage
}

interface FormattedTextProps {
  /** Markdown, as agents write it. */
  text: string
  renderText?: RenderText | undefined
  /** Renders a picture of the message. Without it, pictures are shown elsewhere. */
  renderImage?: RenderImage | undefined
}

/** The text of an agent with its formatting, as elements. Never HTML. */
export function FormattedText(props: FormattedTextProps) {
  const blocks = createMemo(() => parseMarkdown(props.text))
  const renderers: Renderers = {
    renderText: (text) => (props.renderText ? props.renderText(text) : text),
    renderImage: (image) => props.renderImage?.(image),
  }
  return (
    <div class="formatted-text">
      <For each={blocks()}>{(block) => renderBlock(block, renderers)}</For>
    </div>
  )
}

function renderBlocks(blocks: Block[], renderers: Renderers): JSX.Element {
  return blocks.map((block) => renderBlock(block, renderers))
}

function renderBlock(block: Block, renderers: Renderers): JSX.Element {
  switch (block.kind) {
    case 'paragraph':
      return <p dir="auto">{renderInlines(block.children, renderers)}</p>
    case 'quote':
      return <blockquote dir="auto">{renderBlocks(block.blocks, renderers)}</blockquote>
    case 'code block':
      return (
        <pre>
          <code>{renderers.renderText(block.text)}</code>
        </pre>
      )
    case 'list': {
      const items = block.items.map((item) => <li>{renderBlocks(item, renderers)}</li>)
      return block.start === undefined ? (
        <ul dir="auto">{items}</ul>
      ) : (
        <ol dir="auto" start={block.start}>
          {items}
        </ol>
      )
    }
  }
}

function renderInlines(inlines: Inline[], renderers: Renderers): JSX.Element {
  return inlines.map((inline) => renderInline(inline, renderers))
}

function renderInline(inline: Inline, renderers: Renderers): JSX.Element {
  switch (inline.kind) {
    case 'text':
      return renderers.renderText(inline.text)
    case 'break':
      return '\n'
    case 'mention':
      return <span class="formatted-text-mention">@{inline.name}</span>
    case 'image':
      return renderers.renderImage(inline)
    case 'code':
      return <code>{renderers.renderText(inline.text)}</code>
    case 'strong':
      return <strong>{renderInlines(inline.children, renderers)}</strong>
    case 'emphasis':
      return <em>{renderInlines(inline.children, renderers)}</em>
    case 'link':
      return (
        <a href={inline.href} target="_blank" rel="noopener noreferrer nofollow">
          {renderInlines(inline.children, renderers)}
        </a>
      )
  }
}
