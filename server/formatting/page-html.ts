import { type Dialect, markdownToHtml, plainToHtml } from './message-html.ts'

// No styles: the page of a website brings its own. Only these elements: p, br, strong, em, a, ul, ol, li, code, pre,
// blockquote.

const PAGE: Dialect = {
  // The page that a link leads to must not reach the one that it is on.
  attributes: { a: ' target="_blank" rel="noopener noreferrer nofollow"' },
  lineBreak: '<br>',
  keepsSpaces: false,
  hasCodeInPre: true,
  isTight: () => true,
}

/** The HTML of a Markdown text for a page. */
export function markdownToPageHtml(text: string): string {
  return markdownToHtml(text, PAGE)
}

/** The same of a plain text: its paragraphs, line breaks and addresses. */
export function plainToPageHtml(text: string): string {
  return plainToHtml(text, PAGE)
}
