/** Text that is already HTML. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Piece = Html | Html[] | string | number | undefined | false

/** Writes HTML; every value put in is escaped unless it is itself HTML. `undefined` and `false` leave nothing. */
export function html(strings: TemplateStringsArray, ...pieces: Piece[]): Html {
  return new Html(strings.map((string, index) => string + write(pieces[index])).join(''))
}

/** Converts CommonMark to HTML. Only for our own descriptions, never for a caller's text. */
export function prose(markdown: string | undefined): Html {
  return new Html(markdown ? Bun.markdown.html(markdown) : '')
}

/** One line of CommonMark, without the paragraph around it. */
export function inlineProse(markdown: string | undefined): Html {
  const { text } = prose(markdown)
  return new Html(
    text
      .trim()
      .replace(/^<p>/, '')
      .replace(/<\/p>$/, ''),
  )
}

/**
 * Code to read and to copy; the script of the page adds the button. It scrolls, so the keyboard can reach it. Where the
 * same is there in several languages, the page shows the one that the reader chose.
 */
export function codeExample(code: Html | string, label: string, language?: string): Html {
  const inLanguage = language !== undefined && html` data-language="${language}"`
  return html`<div class="code"${inLanguage}><pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre></div>`
}

function write(piece: Piece): string {
  if (piece === undefined || piece === false) return ''
  if (piece instanceof Html) return piece.text
  if (Array.isArray(piece)) return piece.map((part) => part.text).join('')
  return Bun.escapeHTML(String(piece))
}
