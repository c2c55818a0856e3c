import {
  baseKeymap,
  chainCommands,
  createParagraphNear,
  exitCode,
  liftEmptyBlock,
  newlineInCode,
  splitBlockKeepMarks,
} from 'prosemirror-commands'
import { redo, undo } from 'prosemirror-history'
import { undoInputRule } from 'prosemirror-inputrules'
import { keymap } from 'prosemirror-keymap'
import { liftListItem, sinkListItem, splitListItemKeepMarks } from 'prosemirror-schema-list'
import { type Command, Selection, TextSelection } from 'prosemirror-state'
import { formatCommand } from './format-commands.ts'
import { schema } from './schema.ts'

const { nodes } = schema

const beginBlock = chainCommands(
  splitListItemKeepMarks(nodes.item),
  createParagraphNear,
  liftEmptyBlock,
  splitBlockKeepMarks,
)

/**
 * Enter begins a paragraph or an item, Shift+Enter a line, and after an empty one a paragraph. Enter in an empty item, quote
 * or line of code leaves it.
 */
export function editingKeys() {
  // It sends.
  const { 'Mod-Enter': _, ...base } = baseKeymap
  return [
    keymap({
      Enter: chainCommands(leaveCode, newlineInCode, withoutBreaks(beginBlock), beginBlock),
      'Shift-Enter': chainCommands(newlineInCode, withoutBreaks(splitBlockKeepMarks), insertBreak),
      Backspace: chainCommands(undoInputRule, leaveEmptyCode),
      Tab: sinkListItem(nodes.item),
      'Shift-Tab': liftListItem(nodes.item),
      ArrowDown: leaveCodeAtEnd,
      'Mod-a': selectText,
      // The view keeps these two from the page, whose shortcuts they are.
      'Mod-b': formatCommand('bold'),
      'Mod-i': formatCommand('italic'),
      'Mod-z': undo,
      'Mod-y': redo,
      'Mod-Shift-z': redo,
    }),
    keymap(base),
  ]
}

/** All text, rather than the document, which is no part of a line or list. */
const selectText: Command = ({ doc, tr }, dispatch) => {
  dispatch?.(tr.setSelection(TextSelection.between(doc.resolve(0), doc.resolve(doc.content.size))))
  return true
}

/** A paragraph neither ends with a line break nor has an empty line: a command that takes the breaks at the cursor away first. */
function withoutBreaks(command: Command): Command {
  return (state, dispatch, view) => {
    const { $from, empty } = state.selection
    const [before, after] = [$from.nodeBefore, $from.nodeAfter].map((node) => node?.type === nodes.hard_break)
    if (!empty || !(before || after)) return false
    const { tr } = state
    tr.delete($from.pos - (before ? 1 : 0), $from.pos + (after ? 1 : 0))
    if (!dispatch || !view) return true
    dispatch(tr)
    return command(view.state, dispatch, view)
  }
}

const insertBreak: Command = (state, dispatch) => {
  if (state.selection.$from.parentOffset === 0) return splitBlockKeepMarks(state, dispatch)
  dispatch?.(state.tr.replaceSelectionWith(nodes.hard_break.create(), true).scrollIntoView())
  return true
}

/** Enter in an empty last line of code. */
const leaveCode: Command = (state, dispatch) => {
  const { $from, empty } = state.selection
  const { parent, parentOffset } = $from
  const isEnd = empty && parent.type === nodes.code_block && parentOffset === parent.content.size
  if (!isEnd || !parent.textContent.endsWith('\n')) return false
  const { tr } = state
  tr.delete($from.pos - 1, $from.pos)
  const after = tr.doc.resolve($from.pos - 1).after()
  tr.insert(after, nodes.paragraph.create())
  dispatch?.(tr.setSelection(Selection.near(tr.doc.resolve(after + 1))).scrollIntoView())
  return true
}

const leaveEmptyCode: Command = (state, dispatch) => {
  const { $from, empty } = state.selection
  if (!empty || $from.parent.type !== nodes.code_block || $from.parent.content.size > 0) return false
  dispatch?.(state.tr.setNodeMarkup($from.before(), nodes.paragraph))
  return true
}

const leaveCodeAtEnd: Command = (state, dispatch) => {
  const { $from, empty } = state.selection
  const isLast = $from.depth === 1 && $from.index(0) === state.doc.childCount - 1
  const isEnd = empty && $from.parentOffset === $from.parent.content.size
  return isLast && isEnd && $from.parent.type === nodes.code_block && exitCode(state, dispatch)
}
