import { toggleMark } from 'prosemirror-commands'
import { closeHistory, history } from 'prosemirror-history'
import { Fragment, type Node, Slice } from 'prosemirror-model'
import { EditorState, Plugin, Selection, TextSelection, type Transaction } from 'prosemirror-state'
import { EditorView } from 'prosemirror-view'
import { parseMarkdown } from '../../../server/formatting/markdown.ts'
import { plainText } from '../../../server/formatting/plain-text.ts'
import { toMarkdown } from '../../../server/formatting/to-markdown.ts'
import { hrefOf } from '../link-edits.ts'
import type { FieldFormats, LinkText, WritingField } from '../writing-field.ts'
import { blocksOf, documentOf, markdownOf, nodesOf, placeOf } from './document.ts'
import { editingKeys } from './editing-keys.ts'
import { formatCommand, isFormatted } from './format-commands.ts'
import { cleanedHtml } from './pasted-html.ts'
import { schema } from './schema.ts'
import { typedMarks } from './typed-marks.ts'

const { nodes, marks } = schema

/** Characters of a paragraph. Writing a longer one as Markdown would delay typing, so that happens once a second. */
const MAX_WRITTEN_AT_ONCE = 1_500
const WRITE_AFTER_MS = 1_000

interface EditorOptions {
  /** In the element, which has no other content. */
  place: HTMLElement
  markdown: string
  /** Characters. Longer texts can't be typed. */
  maxLength: number
  attributes: () => Record<string, string>
  onChange: (markdown: string) => void
  /** After each change of the text or the selection. */
  onUpdate: () => void
  /** Before the editor itself takes a key. It doesn't if the default is prevented. */
  onKeyDown: (event: KeyboardEvent) => void
  onFocus: () => void
  onBlur: () => void
  /** Renders a picture by its name. Returns how to end that. */
  renderImage: (image: { name: string; alt: string }, place: HTMLElement) => () => void
}

/** An editor on the page. */
export interface Editor extends WritingField {
  formats: FieldFormats
  /** Replaces everything, without a step to undo: the text comes from elsewhere. */
  setMarkdown: (markdown: string) => void
  /** Selects what belongs to a part of the Markdown that it was created with. */
  select: (start: number, end: number) => void
  updateAttributes: () => void
  /** Scrolls to the cursor, if it is here. */
  showCursor: () => void
  destroy: () => void
}

/** An editor that shows a text as it will look. Its document has the blocks of server/formatting, and its value is Markdown. */
export function createEditor(options: EditorOptions): Editor {
  let timer: ReturnType<typeof setTimeout> | undefined
  function write() {
    if (timer === undefined) return
    clearTimeout(timer)
    timer = undefined
    options.onChange(markdownOf(view.state.doc))
  }
  const plugins = [
    new Plugin({
      props: {
        handleDOMEvents: {
          keydown(view, event) {
            readSelection(view)
            // It may send the text.
            if (event.ctrlKey || event.metaKey || event.key === 'Enter') write()
            options.onKeyDown(event)
            // The page sends and leaves the field by these. The view would keep them to itself.
            const isOfPage =
              event.key === 'Escape' || (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
            return event.defaultPrevented || isOfPage
          },
          // Left to the page, which attaches them.
          paste(view, event) {
            readSelection(view)
            return hasOnlyFiles(event.clipboardData)
          },
          focus: () => options.onFocus(),
          blur() {
            write()
            options.onBlur()
          },
        },
      },
      filterTransaction: ({ doc, docChanged }, state) =>
        !docChanged || doc.content.size <= Math.max(options.maxLength, state.doc.content.size),
    }),
    typedMarks(),
    ...editingKeys(),
    history(),
  ]
  // As in a textarea, the cursor is at the end of a text that comes from elsewhere.
  const stateOf = (markdown: string) => {
    const doc = documentOf(markdown)
    return EditorState.create({ doc, plugins, selection: Selection.atEnd(doc) })
  }
  const view = new EditorView(
    { mount: options.place },
    {
      state: stateOf(options.markdown),
      attributes: ({ doc }) => ({ ...options.attributes(), ...(isEmpty(doc) && { 'data-empty': '' }) }),
      dispatchTransaction(transaction) {
        const before = view.state.doc
        view.updateState(view.state.apply(transaction))
        if (!view.state.doc.eq(before)) {
          timer ??= setTimeout(write, WRITE_AFTER_MS)
          if (view.state.selection.$from.parent.content.size <= MAX_WRITTEN_AT_ONCE) write()
        }
        options.onUpdate()
      },
      nodeViews: { image: (node) => imageView(node, options) },
      handlePaste: (_, event) => pasteLink(view, event),
      transformPastedHTML: cleanedHtml,
      clipboardTextParser: (text, $context) => plainSlice(text, $context.parent.type.spec.code === true),
      clipboardTextSerializer: ({ content }) => plainText(toMarkdown(blocksOf(wrapped(content)))),
    },
  )
  const dispatch = (transaction: Transaction) => view.dispatch(closeHistory(transaction).scrollIntoView())
  const run = (change: (state: EditorState) => Transaction) => {
    view.focus()
    dispatch(change(view.state))
  }

  return {
    element: view.dom,
    focus: () => view.focus(),
    insert: (markdown) => run((state) => state.tr.replaceSelection(sliceOf(markdown))),
    insertText: (text) => run((state) => state.tr.insertText(text)),
    append(text, format) {
      const added = format === 'plain' ? plainSlice(text, false).content : nodesOf(parseMarkdown(text))
      run(({ doc, tr }) => {
        const { size } = doc.content
        tr.replaceWith(isEmpty(doc) ? 0 : size, size, added)
        return tr.setSelection(Selection.atEnd(tr.doc))
      })
    },
    formats: {
      format(name) {
        view.focus()
        formatCommand(name)(view.state, dispatch)
      },
      isFormatted: (name) => isFormatted(view.state, name),
      link: () => linkIn(view.state),
      setLink: (label, href) => run((state) => withLink(state, label, href)),
    },
    isAtLineStart: () => isAfter(view.state, (before) => before === '' || before === '\n'),
    isAtWordStart: () => isAfter(view.state, (before) => !/[\p{L}\p{N}]/u.test(before)),
    setMarkdown(markdown) {
      clearTimeout(timer)
      timer = undefined
      view.updateState(stateOf(markdown))
      options.onUpdate()
    },
    select(start, end) {
      const { doc, tr } = view.state
      const [from, to] = [start, end].map((at) => doc.resolve(placeOf(doc, options.markdown, at)))
      if (from && to) view.dispatch(tr.setSelection(TextSelection.between(from, to)).scrollIntoView())
    },
    updateAttributes() {
      readSelection(view)
      view.setProps({})
    },
    showCursor() {
      if (!view.hasFocus()) return
      const { doc, selection, tr } = view.state
      if (selection.to >= doc.content.size - 1) view.dom.scrollTop = view.dom.scrollHeight
      else view.dispatch(tr.scrollIntoView())
    },
    destroy() {
      write()
      view.destroy()
    },
  }
}

/**
 * Browsers report late that a key, such as End, has moved the cursor. The next key, a paste or a change of an attribute
 * may come first.
 */
function readSelection(view: EditorView): void {
  const shown = document.getSelection()
  if (!shown?.anchorNode || !shown.focusNode || view.composing || !view.dom.contains(shown.anchorNode)) return
  const { doc, selection, tr } = view.state
  if (!(selection instanceof TextSelection)) return
  const anchor = doc.resolve(view.posAtDOM(shown.anchorNode, shown.anchorOffset))
  const head = doc.resolve(view.posAtDOM(shown.focusNode, shown.focusOffset))
  const read = TextSelection.between(anchor, head)
  if (!read.eq(selection)) view.dispatch(tr.setSelection(read))
}

function isEmpty({ childCount, firstChild }: Node): boolean {
  return childCount === 1 && firstChild?.type === nodes.paragraph && firstChild.childCount === 0
}

function hasOnlyFiles(data: DataTransfer | null): boolean {
  return data?.types.includes('Files') === true && data.getData('text/plain').trim() === ''
}

/** The slice that inserts a text. A single paragraph joins the one around it. */
function sliceOf(markdown: string): Slice {
  const blocks = nodesOf(parseMarkdown(markdown))
  const trailing = /\s+$/.exec(markdown)?.[0] ?? ''
  const content = Fragment.from(blocks)
  const isOpen = (node: Node | null | undefined) => (node?.type === nodes.paragraph ? 1 : 0)
  const slice = new Slice(content, isOpen(content.firstChild), isOpen(content.lastChild))
  if (blocks.length > 1 || trailing === '' || trailing.includes('\n')) return slice
  return new Slice(Fragment.from(blocks[0]?.copy(blocks[0].content.addToEnd(schema.text(trailing)))), 1, 1)
}

/** Plain text: each line stays a line, and blank lines end a paragraph. */
function plainSlice(text: string, isInCode: boolean): Slice {
  const lines = text.replace(/\r\n?/g, '\n')
  if (isInCode) return new Slice(Fragment.from(lines === '' ? null : schema.text(lines)), 0, 0)
  const paragraphs = lines.split(/\n(?:[ \t]*\n)+/).map((paragraph) => {
    const inline = paragraph
      .split('\n')
      .flatMap((line, at) => [
        ...(at > 0 ? [nodes.hard_break.create()] : []),
        ...(line === '' ? [] : [schema.text(line)]),
      ])
    return nodes.paragraph.create(null, inline)
  })
  return new Slice(Fragment.from(paragraphs), 1, 1)
}

/** A part of a line counts as a paragraph. */
function wrapped(content: Fragment): Fragment {
  const { firstChild } = content
  if (firstChild?.isInline) return Fragment.from(nodes.paragraph.create(null, content))
  return firstChild?.type === nodes.item ? Fragment.from(nodes.bullets.create(null, content)) : content
}

/** An address pasted over some text makes it a link. */
function pasteLink(view: EditorView, event: ClipboardEvent): boolean {
  const { empty, $from, $to } = view.state.selection
  const address = event.clipboardData?.getData('text/plain').trim() ?? ''
  const href = /^(?:https?:\/\/|mailto:)\S+$/i.test(address) ? hrefOf(address) : undefined
  if (empty || href === undefined || !$from.sameParent($to)) return false
  const selected = view.state.doc.textBetween($from.pos, $to.pos)
  if (selected.trim() === '' || hrefOf(selected) !== undefined) return false
  return toggleMark(marks.link, { href }, { removeWhenPresent: false })(view.state, view.dispatch)
}

/** The link around the selection, from its start to its end. */
function linkPlace({ selection: { $from, from, to } }: EditorState) {
  const mark = marks.link.isInSet($from.marks()) ?? marks.link.isInSet($from.nodeAfter?.marks ?? [])
  if (!mark) return { mark, from, to }
  let [start, end] = [from, to]
  $from.parent.forEach((node, offset) => {
    const nodeFrom = $from.start() + offset
    const nodeTo = nodeFrom + node.nodeSize
    const isSame = mark.isInSet(node.marks)
    if (isSame && nodeFrom <= end && nodeTo >= start)
      [start, end] = [Math.min(start, nodeFrom), Math.max(end, nodeTo)]
  })
  return { mark, from: start, to: end }
}

function linkIn(state: EditorState): LinkText {
  const { mark, from, to } = linkPlace(state)
  return {
    label: state.doc.textBetween(from, to, ' '),
    address: mark?.attrs.href ?? '',
    isLink: mark !== undefined,
  }
}

/** The text of a link keeps its formatting unless it changes. */
function withLink(state: EditorState, label: string, href: string | undefined): Transaction {
  const { from, to } = linkPlace(state)
  const { tr } = state
  const text = label.replace(/\s+/g, ' ').trim() || href || ''
  const isKept = text === state.doc.textBetween(from, to, ' ')
  if (!isKept) tr.replaceWith(from, to, schema.text(text, state.doc.resolve(from).marks()))
  const end = isKept ? to : from + text.length
  tr.removeMark(from, end, marks.link)
  if (href !== undefined) tr.addMark(from, end, marks.link.create({ href }))
  return tr.setSelection(Selection.near(tr.doc.resolve(end), -1)).removeStoredMark(marks.link)
}

function isAfter({ selection: { empty, $from } }: EditorState, isFit: (before: string) => boolean): boolean {
  if (!empty || $from.parent.type === nodes.code_block) return false
  return isFit($from.parent.textBetween(0, $from.parentOffset, '', '\n').at(-1) ?? '')
}

function imageView({ attrs: { name, alt } }: Node, { renderImage }: EditorOptions) {
  const dom = document.createElement('span')
  dom.contentEditable = 'false'
  const end = renderImage({ name, alt }, dom)
  return { dom, destroy: end, ignoreMutation: () => true, stopEvent: () => false }
}
