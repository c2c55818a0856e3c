/** A backslash with the code of a character, or with the character: `\75rl(` and `\url(` are `url(`. */
const ESCAPE = /\\(?:([0-9a-f]{1,6})[ \t\r\n\f]?|([\s\S]))/gi
const COMMENT = /\/\*[\s\S]*?(?:\*\/|$)/g
const HTML_COMMENT_MARK = /<!--|-->/g
/** Everything that loads something: up to the bracket that closes it, or to the end of the value. */
const LOADING_FUNCTION =
  /(?:url|src|image|image-set|cross-fade|element|expression)\(\s*(?:"[^"\n]*"|'[^'\n]*'|[^"')\s}]*)[^);}]*\)?/gi
const LOADING_RULE = /@(?:import|namespace|charset|document|-moz-document)\b[^;{}]*;?/gi
const RUNNING_PROPERTY = /(?:-moz-binding|behavior)\s*:[^;}]*/gi
const TAG_START = /</g

/**
 * Style rules or declarations that load nothing: without addresses, imports and what old browsers ran. Whatever is taken
 * out leaves a blank, so that its neighbors don't form a new word.
 */
export function safeCss(css: string): string {
  return css
    .replace(COMMENT, ' ')
    .replace(ESCAPE, (whole, code?: string, character?: string) => {
      if (code === undefined) return isLetter(character) ? character : whole
      const meant = String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff))
      // The blank ends the code, whatever follows.
      return /^[\w@(-]$/.test(meant) ? meant : `\\${code} `
    })
    .replace(HTML_COMMENT_MARK, ' ')
    .replace(LOADING_RULE, ' ')
    .replace(LOADING_FUNCTION, ' none ')
    .replace(RUNNING_PROPERTY, ' ')
    .replace(TAG_START, '\\3c ')
}

/** A letter that is no hexadecimal digit: a backslash before it changes nothing. */
function isLetter(character = ''): character is string {
  return /^[g-z_-]$/i.test(character)
}
