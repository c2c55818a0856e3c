import type { Guide } from './guides.ts'
import { codeExample, Html, html } from './html.ts'
import { renderLayout } from './layout.ts'

const CODE_BLOCK = /<pre><code(?: class="language-(\w+)")?>(.*?)<\/code><\/pre>/gs
const LANGUAGES: Record<string, string> = {
  sh: 'Shell',
  ts: 'TypeScript',
  http: 'HTTP',
  json: 'JSON',
  js: 'Node',
  python: 'Python',
  go: 'Go',
  php: 'PHP',
  csv: 'CSV',
}

/** Three blocks after each other, one in each of these languages, are one example. */
const SWITCHED: Record<string, string> = { sh: 'curl', ts: 'typescript', python: 'python' }
const SWITCHED_BLOCKS = /(?:<pre><code class="language-(?:sh|ts|python)">(?:(?!<\/pre>).)*<\/pre>\s*){3}/gs
const LANGUAGE_SWITCH = '<div class="languages" role="group" aria-label="Language of the examples"></div>'

/** Renders a guide as a page. The Markdown is our own, so its HTML isn't sanitized. */
export async function renderGuide(guide: Guide): Promise<string> {
  const { default: markdown } = await guide.load()
  const content = Bun.markdown
    .html(markdown, { headings: true })
    .replaceAll(
      SWITCHED_BLOCKS,
      (blocks) =>
        LANGUAGE_SWITCH +
        blocks.replaceAll(CODE_BLOCK, (_, language = '', code) => codeBlock(language, code, true)),
    )
    .replaceAll(CODE_BLOCK, (_, language = '', code) => codeBlock(language, code, false))
    .replaceAll('<table>', '<div class="table" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>')
    // Links between the Markdown files work in the repository. Here they lose their ending.
    .replaceAll(/href="([a-z-]+)\.md(?=["#])/g, 'href="/docs/$1')
  const sections = [...content.matchAll(/<h2 id="([^"]+)"><a [^>]+>(.*?)<\/a><\/h2>/g)].map(
    ([, id = '', title = '']) => ({ id, title: plainText(title) }),
  )
  return renderLayout({
    path: `/docs/${guide.slug}`,
    title: `${guide.title} – Bellhop Docs`,
    sections,
    content: html`<article class="guide">${new Html(content)}</article>`,
  })
}

function codeBlock(language: string, code: string, isSwitched: boolean): string {
  return codeExample(new Html(code), labelOf(language), isSwitched ? SWITCHED[language] : undefined).text
}

function labelOf(language: string): string {
  return `${LANGUAGES[language] ?? 'Code'} example`
}

/** Headings have no markup but code and entities for `&` and the like. */
function plainText(heading: string): string {
  return heading
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
}
