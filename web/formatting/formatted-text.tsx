import { createMemo, For, type JSX } from 'solid-js'
import type { Inline } from '../../server/formatting/inline.ts'
import { type Block, parseMarkdown } from '../../server/formatting/markdown.ts'
import './formatted-text.css'

/** Renders a piece of text, such as with search hits marked. */
type RenderText = (text: string) => JSX.Element

export interface FormattedTextProps {
  /** Markdown, as agents write it. */
  text: string
  renderText?: RenderText | undefined
}

/** The text of an agent with its formatting, as elements. Never HTML. */
export function FormattedText(props: FormattedTextProps) {
  const blocks = createMemo(() => parseMarkdown(props.text))
  const renderText: RenderText = (text) => (props.renderText ? props.renderText(text) : text)
  return (
    <div class="formatted-text">
      <For each={blocks()}>{(block) => renderBlock(block, renderText)}</For>
    </div>
  )
}

function renderBlocks(blocks: Block[], renderText: RenderText): JSX.Element {
  return blocks.map((block) => renderBlock(block, renderText))
}

function renderBlock(block: Block, renderText: RenderText): JSX.Element {
  switch (block.kind) {
    case 'paragraph':
      return <p dir="auto">{renderInlines(block.children, renderText)}</p>
    case 'quote':
      return <blockquote dir="auto">{renderBlocks(block.blocks, renderText)}</blockquote>
    case 'code block':
      return (
        <pre>
          <code>{renderText(block.text)}</code>
        </pre>
      )
    case 'list': {
      const items = block.items.map((item) => <li>{renderBlocks(item, renderText)}</li>)
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

function renderInlines(inlines: Inline[], renderText: RenderText): JSX.Element {
  return inlines.map((inline) => renderInline(inline, renderText))
}

function renderInline(inline: Inline, renderText: RenderText): JSX.Element {
  switch (inline.kind) {
    case 'text':
      return renderText(inline.text)
    case 'break':
      return '\n'
    case 'code':
      return <code>{renderText(inline.text)}</code>
    case 'strong':
      return <strong>{renderInlines(inline.children, renderText)}</strong>
    case 'emphasis':
      return <em>{renderInlines(inline.children, renderText)}</em>
    case 'link':
      return (
        <a href={inline.href} target="_blank" rel="noopener noreferrer nofollow">
          {renderInlines(inline.children, renderText)}
        </a>
      )
  }
}
