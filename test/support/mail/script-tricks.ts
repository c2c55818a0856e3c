import type { BrowserContext, Page } from 'playwright-core'

/** What a page does with the source: shows it as HTML, opens it as an SVG file, renders it as Markdown, or shows it as the name of a file. */
export type TrickKind = 'html' | 'svg' | 'markdown' | 'file name'

export interface ScriptTrick {
  id: number
  kind: TrickKind
  source: string
  /** Whether Chromium runs it when nobody sanitizes the source. */
  runs: boolean
}

type Make = (code: string) => string

const WORD = 'trick'
const MESSAGE = /^\/trick-(\d+)\/$/
const XHTML = 'xmlns="http://www.w3.org/1999/xhtml"'
const SVG = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'

const HTML: Make[] = [
  (code) => `<script>${code}</script>`,
  (code) => `<ScRiPt\n>${code}</sCrIpT\n>`,
  (code) => `<script src="data:text/javascript,${code}"></script>`,
  (code) => `<<script>${code}//<</script>`,
  (code) => `<img src=x onerror=${code}>`,
  (code) => `<img/src="x"/onerror=${code}>`,
  (code) => `<img src=x\nONERROR\n=\n"${entities(code)}">`,
  (code) => `<img """><script>${code}</script>">`,
  (code) => `<svg onload=${code}>`,
  (code) => `<svg><script>${entities(code)}</script></svg>`,
  (code) => `<svg><animate onbegin=${code} attributeName=x dur=1s></svg>`,
  (code) =>
    `<svg><a><animate attributeName=href values="javascript:${code}"/><text x=20 y=20>click</text></a></svg>`,
  (code) => `<body onload=${code}>`,
  (code) => `<iframe srcdoc="<script>${code}</script>"></iframe>`,
  (code) => `<iframe src="javascript:${code}"></iframe>`,
  (code) => `<iframe src="data:text/html,<script>${code}</script>"></iframe>`,
  (code) => `<object data="data:text/html,<script>${code}</script>"></object>`,
  (code) => `<object data="javascript:${code}"></object>`,
  (code) => `<embed src="data:image/svg+xml;base64,${btoa(`<svg ${SVG}><script>${code}</script></svg>`)}">`,
  (code) => `<a href="javascript:${code}">click</a>`,
  (code) => `<a href="JaVa&#9;ScRiPt&colon;${code}">click</a>`,
  (code) => `<a href="\x01 javascript:${code}">click</a>`,
  (code) => `<a href="vbscript:${code}">click</a>`,
  (code) => `<a href="data:text/html,<script>${code}</script>">click</a>`,
  (code) => `<form action="javascript:${code}"><button>click</button></form>`,
  (code) => `<form><button formaction="javascript:${code}">click</button></form>`,
  (code) => `<input onfocus=${code} autofocus>`,
  (code) => `<p tabindex=0 onmouseover=${code}>hover</p>`,
  (code) => `<details open ontoggle=${code}>`,
  (code) => `<video><source onerror=${code} src=x></video>`,
  (code) => `<style>@keyframes k{}</style><p style="animation:k 1s" onanimationstart=${code}>`,
  (code) => `<link rel=stylesheet href=x onerror=${code}>`,
  (code) => `<button popovertarget=p>click</button><p popover id=p onbeforetoggle=${code}>`,
  (code) => `<div><template shadowrootmode=open><script>${code}</script></template></div>`,
  (code) => `<meta http-equiv=refresh content="0;url=javascript:${code}">`,
  (code) => `<base href="javascript:/"><a href="${code}">click</a>`,
  (code) => `<style>@import 'javascript:${code}';</style>`,
  (code) => `<p style="background:url(javascript:${code});width:expression(${code})">`,
  (code) => `<table background="javascript:${code}"><td background="javascript:${code}"></table>`,
  (code) =>
    `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${code}&gt;">`,
  (code) => `<form><math><mtext></form><form><mglyph><style></math><img src=x onerror=${code}>`,
  (code) => `<svg></p><style><a id="</style><img src=x onerror=${code}>">`,
  (code) => `<noscript><p title="</noscript><img src=x onerror=${code}>"></noscript>`,
  (code) => `<textarea><p title="</textarea><img src=x onerror=${code}>"></textarea>`,
  (code) => `<xmp><p title="</xmp><img src=x onerror=${code}>"></xmp>`,
  (code) => `<!--><img src=x onerror=${code}>-->`,
]

const SVG_FILES: Make[] = [
  (code) => `<svg ${SVG} onload="${code}"/>`,
  (code) => `<svg ${SVG}><script>${code}</script></svg>`,
  (code) => `<svg ${SVG}><script href="data:text/javascript,${code}"/></svg>`,
  (code) => `<svg ${SVG}><a xlink:href="javascript:${code}"><text y="20">click</text></a></svg>`,
  (code) => `<svg ${SVG}><image href="x" onerror="${code}"/></svg>`,
  (code) => `<svg ${SVG}><foreignObject><img ${XHTML} src="x" onerror="${code}"/></foreignObject></svg>`,
  (code) => `<svg ${SVG}><set attributeName="x" onbegin="${code}"/></svg>`,
  (code) =>
    `<!DOCTYPE svg [<!ENTITY e "<script xmlns='http://www.w3.org/2000/svg'>${code}</script>">]><svg ${SVG}>&e;</svg>`,
]

const MARKDOWN: Make[] = [
  (code) => `[click](javascript:${code})`,
  (code) => `[click](<JaVaScRiPt&colon;${code}>)`,
  (code) => `[click][1]\n\n[1]: javascript:${code}`,
  (code) => `<javascript:${code}>`,
  (code) => `![x](x"onerror="${code})`,
  (code) => `<script>${code}</script>`,
  (code) => `**bold** <img src=x onerror=${code}>`,
  (code) => `\`\`\`"><img/src=x/onerror=${code}>\n</code></pre><img src=x onerror=${code}>\n\`\`\``,
]

const FILE_NAMES: Make[] = [
  (code) => `"><img src=x onerror=${code}>.png`,
  (code) => `<svg onload=${code}>.svg`,
]

/** Those that today's Chromium ignores, or that only a sanitizer's own output would set off. A test measures it. */
const NOT_RUN = new Set([18, 23, 24, 35, 36, 37, 38, 39, 40, 41, 59, 62])

/** 64 ways to smuggle a script. Each is for a mail, a file or a text of its own. */
export const SCRIPT_TRICKS: ScriptTrick[] = [
  ...HTML.map((make) => ({ kind: 'html' as const, make })),
  ...SVG_FILES.map((make) => ({ kind: 'svg' as const, make })),
  ...MARKDOWN.map((make) => ({ kind: 'markdown' as const, make })),
  ...FILE_NAMES.map((make) => ({ kind: 'file name' as const, make })),
].map(({ kind, make }, n) => ({
  id: n + 1,
  kind,
  // A regular expression: it needs no quotes and no encoding.
  source: make(`console.log(/${WORD}-${n + 1}/)`),
  runs: !NOT_RUN.has(n + 1),
}))

/** Ids of the tricks that have run in any page or frame of the context since. */
export function watchTricks(context: BrowserContext): Set<number> {
  const ran = new Set<number>()
  context.on('console', (message) => {
    const id = MESSAGE.exec(message.text())?.[1]
    if (id) ran.add(Number(id))
  })
  return ran
}

/** Pages at the same time, in `inPages`. */
const AT_ONCE = 8

/** Calls `use` with each item and one of a few pages, because a new page costs more than the next document in it. */
export async function inPages<Item>(
  context: BrowserContext,
  items: Item[],
  use: (page: Page, item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values()
  async function work(): Promise<void> {
    const page = await context.newPage()
    for (const item of left) await use(page, item)
    await page.close()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

/** Does what a curious reader does, in every frame: points at everything that answers to it, and clicks links and buttons. */
export async function provokeTricks(page: Page): Promise<void> {
  for (const frame of page.frames()) {
    await frame
      .evaluate(() => {
        for (const element of document.querySelectorAll('*')) {
          element.dispatchEvent(new MouseEvent('mouseover', { bubbles: true }))
        }
        const targets = document.querySelectorAll('a, button, summary, input, text')
        for (const element of targets)
          element.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))
      })
      // A frame that is gone or may run no script.
      .catch(() => {})
  }
}

function entities(code: string): string {
  return [...code].map((character) => `&#${character.codePointAt(0)};`).join('')
}
