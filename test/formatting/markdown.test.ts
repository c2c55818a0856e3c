import { describe, expect, test } from 'bun:test'
import { markdownToEmailHtml } from '../../server/formatting/email-html.ts'
import { parseMarkdown } from '../../server/formatting/markdown.ts'
import { escapeMarkdown, isFormatted, plainText } from '../../server/formatting/plain-text.ts'

/** A text, and its email without the style of each element. */
const CASES: Record<string, [markdown: string, html: string][]> = {
  'bold and italic': [
    ['**bold** and __bold__', '<p><strong>bold</strong> and <strong>bold</strong></p>'],
    ['_italic_ and *italic*', '<p><em>italic</em> and <em>italic</em></p>'],
    ['***both***', '<p><strong><em>both</em></strong></p>'],
    ['**_both_**', '<p><strong><em>both</em></strong></p>'],
    ['**bold _both_**', '<p><strong>bold <em>both</em></strong></p>'],
    ['*a **b***', '<p><em>a <strong>b</strong></em></p>'],
    ['**two\nlines**', '<p><strong>two<br>lines</strong></p>'],
    ['这是*重点*内容', '<p>这是<em>重点</em>内容</p>'],
    ['re**fund**able', '<p>re<strong>fund</strong>able</p>'],
  ],
  'marks that are text': [
    ['2*3*4 and 2**3**4', '<p>2*3*4 and 2**3**4</p>'],
    ['2 * 3 * 4', '<p>2 * 3 * 4</p>'],
    ['file_name_v2.txt', '<p>file_name_v2.txt</p>'],
    ['*.txt and *.pdf', '<p>*.txt and *.pdf</p>'],
    ['Price* and tax*', '<p>Price* and tax*</p>'],
    ['*Price and *tax, **bold**', '<p>*Price and *tax, <strong>bold</strong></p>'],
    ['**bold', '<p>**bold</p>'],
    ['**bold*', '<p>**bold*</p>'],
    ['** bold **', '<p>** bold **</p>'],
    ['**a _b** c_', '<p><strong>a _b</strong> c_</p>'],
    ['Name: ______', '<p>Name: ______</p>'],
    ['****', '<p>****</p>'],
    ['# no heading', '<p># no heading</p>'],
    ['-5 degrees', '<p>-5 degrees</p>'],
    ['-- \nBen', '<p>--<br>Ben</p>'],
    ['1.5 hours', '<p>1.5 hours</p>'],
    ['2024. A good year', '<p>2024. A good year</p>'],
    ['See you on\n12. March', '<p>See you on<br>12. March</p>'],
    [
      '\\*not italic\\* and \\[no](https://a.test)',
      '<p>*not italic* and [no](<a href="https://a.test/">https://a.test</a>)</p>',
    ],
    ['\\- no list', '<p>- no list</p>'],
    ['1\\. no list', '<p>1. no list</p>'],
    ['\\> no quote', '<p>&gt; no quote</p>'],
    ['C:\\Users\\ben and \\\\server\\share', '<p>C:\\Users\\ben and \\\\server\\share</p>'],
  ],
  links: [
    ['[our guide](https://a.test/guide)', '<p><a href="https://a.test/guide">our guide</a></p>'],
    ['[**bold** guide](https://a.test/)', '<p><a href="https://a.test/"><strong>bold</strong> guide</a></p>'],
    ['**[guide](https://a.test/)**', '<p><strong><a href="https://a.test/">guide</a></strong></p>'],
    ['[a](https://a.test/x_(y))', '<p><a href="https://a.test/x_(y)">a</a></p>'],
    ['([a](https://a.test/x))', '<p>(<a href="https://a.test/x">a</a>)</p>'],
    ['[write](mailto:ana@a.test)', '<p><a href="mailto:ana@a.test">write</a></p>'],
    ['[https://a.test](https://b.test/)', '<p><a href="https://b.test/">https://a.test</a></p>'],
    ['[x [y](https://a.test/)', '<p>[x <a href="https://a.test/">y</a></p>'],
    ['[x] and [y]', '<p>[x] and [y]</p>'],
    ['[](https://a.test/)', '<p>[](<a href="https://a.test/">https://a.test/</a>)</p>'],
    ['[**x](https://a.test/) y**', '<p><a href="https://a.test/">**x</a> y**</p>'],
    [
      'https://a.test/b_c_d, please',
      '<p><a href="https://a.test/b_c_d">https://a.test/b_c_d</a>, please</p>',
    ],
    ['**https://a.test/b_c**', '<p><strong><a href="https://a.test/b_c">https://a.test/b_c</a></strong></p>'],
    ['(https://a.test/x(y)).', '<p>(<a href="https://a.test/x(y)">https://a.test/x(y)</a>).</p>'],
    ['a_b_c@a.test', '<p><a href="mailto:a_b_c@a.test">a_b_c@a.test</a></p>'],
  ],
  'hosts that pass for others, shown as they are': [
    ['https://аpple.com/x', '<p><a href="https://xn--pple-43d.com/x">https://xn--pple-43d.com/x</a></p>'],
    ['https://аррӏе.com', '<p><a href="https://xn--80ak6aa92e.com/">https://xn--80ak6aa92e.com</a></p>'],
    [
      '[https://gооgle.com](https://b.test/)',
      '<p><a href="https://b.test/">https://xn--ggle-55da.com</a></p>',
    ],
    [
      'https://me@gооgle.com:8443/a?б',
      '<p><a href="https://me@xn--ggle-55da.com:8443/a?%D0%B1">https://me@xn--ggle-55da.com:8443/a?б</a></p>',
    ],
    [
      'https://a.test/\u202egpj.exe',
      '<p><a href="https://a.test/%E2%80%AEgpj.exe">https://a.test/%E2%80%AEgpj.exe</a></p>',
    ],
  ],
  'hosts in one script, as they are written': [
    [
      'אתר \u200fhttps://a.test/x\u200f שלום',
      '<p>אתר \u200f<a href="https://a.test/x">https://a.test/x</a>\u200f שלום</p>',
    ],
    ['https://bücher.test', '<p><a href="https://xn--bcher-kva.test/">https://bücher.test</a></p>'],
    ['https://россия.рф', '<p><a href="https://xn--h1alffa9f.xn--p1ai/">https://россия.рф</a></p>'],
    ['https://日本語ナビ.jp', '<p><a href="https://xn--hdks0781bncbk91h.jp/">https://日本語ナビ.jp</a></p>'],
    ['https://παράδειγμα.gr', '<p><a href="https://xn--hxajbheg2az3al.gr/">https://παράδειγμα.gr</a></p>'],
  ],
  code: [
    ['`a*b*c`', '<p><code>a*b*c</code></p>'],
    ['``a`b``', '<p><code>a`b</code></p>'],
    ['`` `a` ``', '<p><code>`a`</code></p>'],
    ['`https://a.test`', '<p><code>https://a.test</code></p>'],
    ['`open', '<p>`open</p>'],
    ['**`a**`', '<p>**<code>a**</code></p>'],
    ['```\na <b>\n\n  c\n```', '<pre>a &lt;b&gt;\n\n  c</pre>'],
    ['```js\nlet x\n```\nafter', '<pre>let x</pre><p>after</p>'],
    ['````\n```\n````', '<pre>```</pre>'],
    ['```\nnot closed', '<pre>not closed</pre>'],
  ],
  lists: [
    ['- a\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['* a\n* **b**', '<ul><li>a</li><li><strong>b</strong></li></ul>'],
    ['1. a\n2. b', '<ol><li>a</li><li>b</li></ol>'],
    ['3) c\n4) d', '<ol start="3"><li>c</li><li>d</li></ol>'],
    ['Steps:\n1. a', '<p>Steps:</p><ol><li>a</li></ol>'],
    ['- a\nBye', '<ul><li>a</li></ul><p>Bye</p>'],
    ['- a\n\n- b', '<ul><li>a</li><li>b</li></ul>'],
    ['- a\n1. b', '<ul><li>a</li></ul><ol><li>b</li></ol>'],
    ['- a\n  more', '<ul><li>a<br>more</li></ul>'],
    ['- a\n  - b\n  - c\n- d', '<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>'],
    ['1. a\n\n   more', '<ol><li><p>a</p><p>more</p></li></ol>'],
    ['- a\n- ', '<ul><li>a</li><li></li></ul>'],
    ['-', '<p>-</p>'],
  ],
  quotes: [
    ['> a\n> b', '<blockquote><p>a<br>b</p></blockquote>'],
    ['> a\n\nAnswer', '<blockquote><p>a</p></blockquote><p>Answer</p>'],
    ['> a\nAnswer', '<blockquote><p>a</p></blockquote><p>Answer</p>'],
    ['> > a', '<blockquote><blockquote><p>a</p></blockquote></blockquote>'],
    ['> - a', '<blockquote><ul><li>a</li></ul></blockquote>'],
  ],
  paragraphs: [
    ['a\nb\n\n\nc', '<p>a<br>b</p><p>c</p>'],
    ['a\n\u00a0\n\nb\n\n\n \u00a0 \nc', '<p>a</p><p>\u00a0</p><p>b</p><p>\u00a0</p><p>c</p>'],
    ['a\r\nb\rc', '<p>a<br>b<br>c</p>'],
    ['a   b', '<p>a&nbsp;&nbsp; b</p>'],
    ['a\n\n![](x.png)\n\nb', '<p>a</p><p>b</p>'],
    ['![The button](x.png) a', '<p>The button a</p>'],
    ['![a](https://a.test/x.png)', '<p>!<a href="https://a.test/x.png">a</a></p>'],
    ['![a](../x.png) ![a](x.txt)', '<p>![a](../x.png) ![a](x.txt)</p>'],
    ['  \n ', ''],
    ['', ''],
  ],
}

for (const [what, cases] of Object.entries(CASES)) {
  describe(`${what}:`, () => {
    for (const [markdown, html] of cases) {
      test(JSON.stringify(markdown), () => expect(bare(markdownToEmailHtml(markdown))).toBe(html))
    }
  })
}

/** Without styles and directions, and without the line breaks that only keep lines of the email short. */
function bare(html: string): string {
  return html.replaceAll(/ (?:style|dir)="[^"]*"/g, '').replaceAll('<br>\n', '<br>')
}

const PLAIN: [markdown: string, plain: string][] = [
  ['**a** _b_ `c` \\*', 'a b c *'],
  ['[our guide](https://a.test/guide)', 'our guide (https://a.test/guide)'],
  ['[write](mailto:ana@a.test)', 'write (ana@a.test)'],
  ['[ana@a.test](mailto:ana@a.test), https://a.test', 'ana@a.test, https://a.test'],
  ['Steps:\n1. a\n2. **b**\n   - c\n\nBye', 'Steps:\n1. a\n2. b\n   - c\n\nBye'],
  ['> a\n>\n> b', '> a\n>\n> b'],
  ['a\n\n\u00a0\n\nb', 'a\n\n\n\nb'],
  ['```\n*x*\n```', '*x*'],
  ['Hi Ana,\n\nsee file_name.\n\nBen', 'Hi Ana,\n\nsee file_name.\n\nBen'],
]

describe('as plain text:', () => {
  for (const [markdown, plain] of PLAIN) {
    test(JSON.stringify(markdown), () => expect(plainText(markdown)).toBe(plain))
  }

  test('a preview leaves out the addresses of links', () => {
    expect(plainText('See [our guide](https://a.test/guide).', 'text')).toBe('See our guide.')
  })
})

describe('a text is formatted', () => {
  test.each(['**a**', '- a', '> a', '`a`', '[a](https://a.test)', '```\na', '\\*'])('%p', (text) =>
    expect(isFormatted(text)).toBe(true),
  )
  test.each(['', 'Hi Ana,\n\n\nsee https://a.test/a_b_c.  \nBen', '2 * 3', 'a **b', '[a](b)'])(
    '%p is not',
    (text) => expect(isFormatted(text)).toBe(false),
  )
})

test('a text of a customer has no formatting of its own within a message', () => {
  for (const text of [
    '**Ana** & _Co_',
    '[click](https://evil.test)',
    '`x`',
    'Ana_Pires',
    '*',
    'O`Neil `x`',
  ]) {
    expect(plainText(`Hi **${escapeMarkdown(text)}**!`)).toBe(`Hi ${text}!`)
  }
  expect(escapeMarkdown('Ana_Pires <ana_p@a.test>')).toBe('Ana_Pires <ana_p@a.test>')
})

test('formatting inside formatting has a limit', () => {
  const most = 20
  expect(depthOf(parseMarkdown(`${'> '.repeat(9_000)}a`))).toBeLessThan(most)
  const indented = Array.from({ length: 300 }, (_, level) => `${'  '.repeat(level)}- a`).join('\n')
  expect(depthOf(parseMarkdown(indented))).toBeLessThan(most)
  expect(depthOf(parseMarkdown('*_**__['.repeat(9_000)))).toBeLessThan(most)
})

function depthOf(tree: unknown): number {
  if (typeof tree !== 'object' || tree === null) return 0
  return 1 + Math.max(0, ...Object.values(tree).map(depthOf))
}

test('a mention is a part of its own, and its name in mails and previews', () => {
  const text = 'Ask [@Ben Weber](agent:agt_01m7yggb08e14a59wse62r3t6t) or **[@Billing](team:tea_1)**'
  expect(parseMarkdown(text)).toEqual([
    {
      kind: 'paragraph',
      children: [
        { kind: 'text', text: 'Ask ' },
        { kind: 'mention', of: 'agent', id: 'agt_01m7yggb08e14a59wse62r3t6t', name: 'Ben Weber' },
        { kind: 'text', text: ' or ' },
        { kind: 'strong', children: [{ kind: 'mention', of: 'team', id: 'tea_1', name: 'Billing' }] },
      ],
    },
  ])
  expect(plainText(text)).toBe('Ask @Ben Weber or @Billing')
  expect(markdownToEmailHtml(text)).toContain('Ask @Ben Weber or <strong>@Billing</strong>')
  expect(plainText('[@Ben](person:x) \\[@Ben](agent:agt_1)')).toBe('[@Ben](person:x) [@Ben](agent:agt_1)')
})
