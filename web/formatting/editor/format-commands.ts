import { autoJoin, lift, setBlockType, toggleMark, wrapIn } from 'prosemirror-commands'
import type { NodeType } from 'prosemirror-model'
import { liftListItem, wrapInList } from 'prosemirror-schema-list'
import type { Command, EditorState } from 'prosemirror-state'
import type { FormatName } from '../writing-field.ts'
import { schema } from './schema.ts'

const { nodes, marks } = schema

/** What a button or key of the toolbar does. It turns itself off again. */
export function formatCommand(name: FormatName): Command {
  switch (name) {
    case 'bold':
      return toggleMark(marks.strong)
    case 'italic':
      return toggleMark(marks.emphasis)
    case 'code':
      return toggleCode
    case 'quote':
      return toggleQuote
    case 'bullets':
    case 'numbers':
      return toggleList(nodes[name])
  }
}

/** Whether what is selected has a format. */
export function isFormatted(state: EditorState, name: FormatName): boolean {
  switch (name) {
    case 'bold':
      return hasMark(state, 'strong')
    case 'italic':
      return hasMark(state, 'emphasis')
    case 'code':
      return hasMark(state, 'code') || state.selection.$from.parent.type === nodes.code_block
    case 'quote':
      return isWithin(state, nodes.quote)
    case 'bullets':
    case 'numbers':
      return listAround(state)?.type === nodes[name]
  }
}

function hasMark(
  { selection, storedMarks, doc }: EditorState,
  name: 'strong' | 'emphasis' | 'code',
): boolean {
  const type = marks[name]
  const { empty, $from, from, to } = selection
  if (empty) return type.isInSet(storedMarks ?? $from.marks()) !== undefined
  return doc.rangeHasMark(from, to, type)
}

function isWithin({ selection: { $from } }: EditorState, type: NodeType): boolean {
  return ancestorsOf($from).some((node) => node.type === type)
}

function ancestorsOf($from: EditorState['selection']['$from']) {
  return Array.from({ length: $from.depth + 1 }, (_, depth) => $from.node($from.depth - depth))
}

/** The innermost list. */
function listAround({ selection: { $from } }: EditorState) {
  return ancestorsOf($from).find(({ type }) => type === nodes.bullets || type === nodes.numbers)
}

/** Within a line, code is a mark. Of whole lines, it is a block. */
const toggleCode: Command = (state, dispatch) => {
  const { $from, $to, empty } = state.selection
  if ($from.parent.type === nodes.code_block) return setBlockType(nodes.paragraph)(state, dispatch)
  const isOneLine = $from.sameParent($to) && !hasBreak(state)
  return isOneLine || empty ? toggleMark(marks.code)(state, dispatch) : joinIntoCode(state, dispatch)
}

function hasBreak({ doc, selection: { from, to } }: EditorState): boolean {
  let found = false
  doc.nodesBetween(from, to, ({ type }) => {
    found ||= type === nodes.hard_break
  })
  return found
}

/** The selected paragraphs, as one piece of code. */
const joinIntoCode: Command = (state, dispatch) => {
  const { $from, $to } = state.selection
  const range = $from.blockRange($to)
  if (!range) return false
  const text = state.doc.textBetween(range.start, range.end, '\n', ({ type }) =>
    type === nodes.hard_break ? '\n' : '',
  )
  const code = nodes.code_block.create(null, text === '' ? null : schema.text(text))
  if (!range.parent.canReplaceWith(range.startIndex, range.endIndex, nodes.code_block)) return false
  dispatch?.(state.tr.replaceRangeWith(range.start, range.end, code).scrollIntoView())
  return true
}

function toggleList(type: NodeType): Command {
  const join = (command: Command) => autoJoin(command, [type.name])
  return (state, dispatch) => {
    const list = listAround(state)
    if (list?.type === type) return liftListItem(nodes.item)(state, dispatch)
    if (!list) return join(wrapInList(type))(state, dispatch)
    // Another kind of list becomes this one.
    const { $from } = state.selection
    const depth = ancestorsOf($from).indexOf(list)
    const pos = $from.before($from.depth - depth)
    dispatch?.(state.tr.setNodeMarkup(pos, type))
    return true
  }
}

const toggleQuote: Command = (state, dispatch) => {
  if (!isWithin(state, nodes.quote)) return autoJoin(wrapIn(nodes.quote), [nodes.quote.name])(state, dispatch)
  return lift(state, dispatch)
}
