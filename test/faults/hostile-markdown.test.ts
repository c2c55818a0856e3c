import { describe, expect, test } from 'bun:test'
import { markdownToEmailHtml, plainToEmailHtml } from '../../server/formatting/email-html.ts'
import { parseMarkdown } from '../../server/formatting/markdown.ts'
import { plainText } from '../../server/formatting/plain-text.ts'

/** The longest message. */
const LENGTH = 65_536
const MAX_CPU_MS = 2_000

const fill = (part: string) => part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH)

/** Texts that take long in other readers of Markdown. */
const HOSTILE: Record<string, string> = {
  stars: fill('*'),
  'unclosed italic': fill('*a '),
  'unclosed bold': fill('**a '),
  'bold and italic that cross': fill('**a _b ** c_ '),
  'marks in turn': fill('*_'),
  'underscores in words': fill('_a'),
  brackets: fill('['),
  'closing brackets': fill('[a]'),
  'unclosed links': fill('[a]('),
  'links without an end': fill('[a](https://a.test '),
  'links in links': `${fill('[')}](https://a.test)`,
  backticks: Array.from({ length: 360 }, (_, length) => '`'.repeat(length)).join(' '),
  'backticks of two lengths': fill('`a``b'),
  'code blocks': fill('```\n```\n'),
  'quote marks': fill('>'),
  'empty quotes': fill('>\n'),
  'empty items': fill('- \n'),
  items: fill('- a\n'),
  'numbered items': fill('1. a\n'),
  'items in items': Array.from({ length: 360 }, (_, level) => `${' '.repeat(level)}- a`).join('\n'),
  'blank lines in an item': `- a${'\n'.repeat(LENGTH)}  b`,
  spaces: `${fill(' ')}x`,
  'an item of spaces': `- ${fill(' ')}`,
  'almost an address': fill('a.'),
  'almost addresses': fill('a@'),
  addresses: fill('a@a.a '),
  'punctuation after an address': fill(`https://a${'.'.repeat(1_990)}x `),
  'parentheses after an address': fill(`https://a${')'.repeat(1_990)} `),
  'open parentheses in a link': fill(`[a](https://a${'('.repeat(1_990)} `),
  backslashes: fill('\\'),
  escapes: fill('\\*'),
}

describe('takes little of the processor, however hostile:', () => {
  for (const [what, text] of Object.entries(HOSTILE)) {
    test(what, () => {
      const before = process.cpuUsage()
      parseMarkdown(text)
      // Of this process, so that other work on the machine does not count. A quadratic one needs many seconds.
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(MAX_CPU_MS)
    })
  }
})

test('a text longer than any message is not formatted', () => {
  const text = '**a** '.repeat(30_000)
  expect(parseMarkdown(text)).toEqual([{ kind: 'paragraph', children: [{ kind: 'text', text }] }])
})

/** Addresses that a link must not lead to. */
const ADDRESSES = [
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  '\u0001javascript:alert(1)',
  'java\nscript:alert(1)',
  'java&#10;script:alert(1)',
  '&#106;avascript:alert(1)',
  'javascript&colon;alert(1)',
  '%6Aavascript:alert(1)',
  'vbscript:msgbox(1)',
  'data:text/html,<script>alert(1)</script>',
  'data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==',
  'file:///etc/passwd',
  'blob:a.test/1',
  'ftp://a.test/',
  'view-source:a.test',
  '//a.test/x',
  '/settings',
  'settings',
  'https:a.test',
  'https://',
  'mailto:',
  'mailto:@',
  '',
]

/** Texts that would run a script or load something if they reached the page as HTML. */
const TRICKS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  '<style>@import "https://evil.test"</style>',
  '</p><script>alert(1)</script>',
  '**<b onclick="alert(1)">x</b>**',
  '`<img src=x onerror=alert(1)>`',
  '```\n</pre><script>alert(1)</script>\n```',
  '> <object data="javascript:alert(1)">',
  '- <meta http-equiv=refresh content="0;url=javascript:alert(1)">',
  '[x](https://a.test/"onmouseover="alert(1))',
  "[x](https://a.test/'onmouseover='alert(1))",
  '[x](https://a.test/"><script>alert(1)</script>)',
  '[<img src=x onerror=alert(1)>](https://a.test/)',
  '![x](https://evil.test/pixel.png)',
  '[x]: javascript:alert(1)',
  '<javascript:alert(1)>',
  '<https://a.test/" onmouseover="alert(1)>',
  'https://a.test/"onmouseover="alert(1)',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '<![CDATA[<script>alert(1)</script>]]>',
  '<!--><script>alert(1)</script>-->',
]

describe('never becomes a link:', () => {
  test.each(ADDRESSES)('%p', (address) => {
    for (const text of [`[x](${address})`, `[x](<${address}>)`, `**[x](${address} "y")**`, address]) {
      expect(hrefsOf(parseMarkdown(text))).toEqual([])
      expect(plainText(text)).toContain(address.includes('\n') ? 'java' : address.trim())
    }
  })
})

describe('stays text:', () => {
  test.each(TRICKS)('%p', async (text) => {
    for (const html of [markdownToEmailHtml(text), plainToEmailHtml(text)]) {
      const { elements, attributes, addresses } = await inspect(html)
      const allowed = ['p', 'br', 'strong', 'em', 'code', 'pre', 'blockquote', 'ul', 'ol', 'li', 'a']
      expect(elements.filter((name) => !allowed.includes(name))).toEqual([])
      expect(attributes.filter((name) => !['style', 'href', 'start', 'dir'].includes(name))).toEqual([])
      expect(addresses.filter((href) => !/^(?:https?:\/\/|mailto:)/.test(href))).toEqual([])
    }
  })
})

function hrefsOf(tree: unknown): string[] {
  if (typeof tree !== 'object' || tree === null) return []
  const own = 'href' in tree && typeof tree.href === 'string' ? [tree.href] : []
  return [...own, ...Object.values(tree).flatMap(hrefsOf)]
}

/** What a reader of HTML sees. */
async function inspect(html: string) {
  const elements: string[] = []
  const attributes: string[] = []
  const addresses: string[] = []
  const rewriter = new HTMLRewriter().on('*', {
    element(element) {
      elements.push(element.tagName)
      for (const [name = '', value = ''] of element.attributes) {
        attributes.push(name)
        if (name === 'href') addresses.push(value)
      }
    },
  })
  await rewriter.transform(new Response(html)).text()
  return { elements, attributes, addresses }
}
