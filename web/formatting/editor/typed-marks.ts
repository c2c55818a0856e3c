import { InputRule, inputRules, textblockTypeInputRule, wrappingInputRule } from 'prosemirror-inputrules'
import type { Mark } from 'prosemirror-model'
import { hrefOf } from '../link-edits.ts'
import { schema } from './schema.ts'

const { nodes, marks } = schema

/** Markdown becomes formatting as it is typed. Backspace right after makes it text again (`undoInputRule`). */
export function typedMarks() {
  return inputRules({
    rules: [
      wrappingInputRule(/^\s*[-*]\s$/, nodes.bullets),
      wrappingInputRule(
        /^\s*(\d{1,3})[.)]\s$/,
        nodes.numbers,
        ([, start]) => ({ start: Number(start) }),
        ([, start], list) => list.childCount + Number(list.attrs.start) === Number(start),
      ),
      wrappingInputRule(/^\s*>\s$/, nodes.quote),
      textblockTypeInputRule(/^```$/, nodes.code_block),
      markRule(/(?:^|[^*\\])(\*\*([^\s*](?:[^*]*[^\s*\\])?)\*\*)$/, () => marks.strong.create()),
      markRule(/(?:^|[^\p{L}\p{N}_\\])(__([^\s_](?:[^_]*[^\s_\\])?)__)$/u, () => marks.strong.create()),
      markRule(/(?:^|[^*\\\d])(\*([^\s*](?:[^*]*[^\s*\\])?)\*)$/, () => marks.emphasis.create()),
      markRule(/(?:^|[^\p{L}\p{N}_\\])(_([^\s_](?:[^_]*[^\s_\\])?)_)$/u, () => marks.emphasis.create()),
      markRule(/(?:^|[^`\\])(`([^`]+)`)$/, () => marks.code.create()),
      markRule(/(?:^|[^!\\])(\[([^[\]\n]+)\]\(([^\s<>[\]()]+)\))$/, ([, , , address = '']) => {
        const href = hrefOf(address)
        return href === undefined ? undefined : marks.link.create({ href })
      }),
    ],
  })
}

/** Replaces the first group of the pattern with the second one, which gets the mark. */
function markRule(pattern: RegExp, markOf: (match: RegExpMatchArray) => Mark | undefined): InputRule {
  return new InputRule(
    pattern,
    (state, match, start, end) => {
      const [whole, marked = '', inner = ''] = match
      const mark = markOf(match)
      const from = start + whole.length - marked.length
      if (!mark || !state.doc.resolve(from).parent.type.allowsMarkType(mark.type)) return null
      const innerFrom = from + marked.indexOf(inner)
      const { tr } = state
      // The last sign isn't in the document yet.
      tr.delete(innerFrom + inner.length, end).delete(from, innerFrom)
      return tr.addMark(from, from + inner.length, mark).removeStoredMark(mark)
    },
    { inCodeMark: false },
  )
}
