import { GUIDES_BY_GROUP } from './guides.ts'
import { type Html, html } from './html.ts'

export const STYLE_PATH = '/docs/docs.css'
export const SCRIPT_PATH = '/docs/docs.js'
/** Of the reference only. */
export const TRY_PATH = '/docs/try.js'
export const REFERENCE_PATH = '/docs'
/** https://llmstxt.org */
export const INDEX_PATH = '/docs/llms.txt'

/** A section of the current page. */
export interface Section {
  id: string
  title: string
  sections?: Section[]
}

interface DocsPage {
  /** Address of the page, to mark it in the navigation. */
  path: string
  /** Title of the browser's tab. */
  title: string
  /** Links to the parts of this page, in order. */
  sections: Section[]
  content: Html
}

/** A page of the documentation: navigation between all pages and the sections of this one, beside the content. */
export function renderLayout({ path, title, sections, content }: DocsPage): string {
  const link = (to: { path: string; title: string }) => {
    const isCurrent = to.path === path
    const current = isCurrent && html` aria-current="page"`
    return html`<li><a href="${to.path}"${current}>${to.title}</a>${isCurrent && renderSections(sections)}</li>`
  }
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="stylesheet" href="${STYLE_PATH}">
<script src="${SCRIPT_PATH}"></script>
${path === REFERENCE_PATH && html`<script src="${TRY_PATH}" defer></script>`}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<nav aria-label="Documentation">
<p class="brand"><a href="${REFERENCE_PATH}">Bellhop <span>Docs</span></a></p>
${Object.entries(GUIDES_BY_GROUP).map(([name, guides]) => {
  const pages = guides.map(({ slug, title }) => ({ path: `/docs/${slug}`, title }))
  if (name === 'API') pages.push({ path: REFERENCE_PATH, title: 'API reference' })
  return html`<p class="group">${name}</p>\n<ul>${pages.map(link)}</ul>\n`
})}<p class="leave"><a href="/">Open the inbox</a></p>
</nav>
<main id="content">
<details class="on-page"><summary>On this page</summary>${renderSections(sections)}</details>
${content}
<p class="formats"><a href="${path}.md">This page as Markdown</a> <a href="${INDEX_PATH}">All pages for language models</a></p>
</main>
</body>
</html>
`.text
}

function renderSections(sections: Section[]): Html {
  return html`<ul class="sections">${sections.map(
    ({ id, title, sections: inner }) =>
      html`<li><a href="#${id}">${title}</a>${inner !== undefined && renderSections(inner)}</li>`,
  )}</ul>`
}
