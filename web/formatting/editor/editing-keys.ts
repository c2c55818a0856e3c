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

/** Enter begins a paragraph or an item, Shift+Enter a line. Enter in an empty item, quote or line of code leaves it. */
export function editingKeys() {
  // It sends.
  const { 'Mod-Enter': _, ...base } = baseKeymap
  return [
    keymap({
      Enter: chainCommands(
        leaveCode,
        newlineInCode,
        splitListItemKeepMarks(nodes.item),
        createParagraphNear,
        liftEmptyBlock,
        splitBlockKeepMarks,
      ),
      'Shift-Enter': chainCommands(newlineInCode, insertBreak),
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

const insertBreak: Command = (state, dispatch) => {
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
