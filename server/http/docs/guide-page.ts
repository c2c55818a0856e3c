import type { Guide } from './guides.ts'
import { codeExample, Html, html } from './html.ts'
import { renderLayout } from './layout.ts'

const CODE_BLOCK = /<pre><code(?: class="language-(\w+)")?>(.*?)<\/code><\/pre>/gs
const LANGUAGES: Record<string, string> = {
  sh: 'Shell',
  http: 'HTTP',
  json: 'JSON',
  js: 'Node',
  python: 'Python',
  go: 'Go',
  php: 'PHP',
}

/** Renders a guide as a page. The Markdown is our own, so its HTML isn't sanitized. */
export async function renderGuide(guide: Guide): Promise<string> {
  const { default: markdown } = await guide.load()
  const content = Bun.markdown
    .html(markdown, { headings: true })
    .replace(CODE_BLOCK, (_, language = '', code) => codeExample(new Html(code), labelOf(language)).text)
    .replaceAll('<table>', '<div class="table" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll('</table>', '</table></div>')
    // Links between the Markdown files work in the repository. Here they lose their ending.
    .replaceAll(/href="([a-z]+)\.md(?=["#])/g, 'href="/docs/$1')
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
