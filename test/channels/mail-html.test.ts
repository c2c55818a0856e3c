import { afterAll, describe, expect, test } from 'bun:test'
import { createTestParser, htmlMail, multipartMail } from '../support/mail/mail-parser.ts'

const parser = createTestParser()
afterAll(() => parser[Symbol.dispose]())

async function shown(html: string): Promise<string | null> {
  return (await parser.read(htmlMail(html))).html
}

/** HTML as it comes, and what is shown of it. */
const KEPT: [html: string, shown: string][] = [
  ['<p style="color: red" class="x" onclick="y()">Hi</p>', '<p style="color: red" class="x">Hi</p>'],
  ['<style>p { color: red }</style><p>Hi</p>', '<style>p { color: red }</style><p>Hi</p>'],
  [
    '<html><head><title>No</title></head><body bgcolor="#eee">Hi</body></html>',
    '<div bgcolor="#eee">Hi</div>',
  ],
  [
    '<table width="600"><tr><td colspan="2" valign="top">Hi</td></tr></table>',
    '<table width="600"><tr><td colspan="2" valign="top">Hi</td></tr></table>',
  ],
  ['<form action="/x"><input name="a"><button>Send</button></form>', 'Send'],
  ['<svg><text>No</text></svg><math>No</math>Hi', 'Hi'],
  ['<o:p>Hi</o:p><!-- no --><![if !mso]>you<![endif]>', 'Hiyou'],
  ['1 < 2 & 3', '1 &lt; 2 &amp; 3'],
  // Hosts that pass for others, in a text and as the text of a link.
  ['Go to https://аpple.com/x?a=1&b=2', 'Go to https://xn--pple-43d.com/x?a=1&amp;b=2'],
  ['<b>https://bücher.example</b> and аpple.com', '<b>https://bücher.example</b> and аpple.com'],
  ['<a name="x">gооgle.com</a>', '<a name="x">xn--ggle-55da.com</a>'],
]

describe('HTML is kept as it looks, without what runs or loads:', () => {
  for (const [html, expected] of KEPT) {
    test(html, async () => expect(await shown(html)).toBe(expected))
  }
})

/** A link, and where it leads; null when it leads nowhere. */
const LINKS: [href: string, safe: string | null][] = [
  ['https://example.com/?a=1&amp;b=2', 'https://example.com/?a=1&amp;b=2'],
  ['HTTPS:\\\\example.com', 'https://example.com/'],
  ['mailto:ana@example.com', 'mailto:ana@example.com'],
  ['tel:+34600', 'tel:+34600'],
  ['javascript:alert(1)', null],
  ['  jAva\tscript:alert(1)', null],
  ['data:text/html,x', null],
  ['/v1/tickets', null],
  ['//example.com', null],
  ['settings', null],
  ['file:///etc/passwd', null],
]

describe('a link opens a new window, and leads to', () => {
  for (const [href, safe] of LINKS) {
    test(`${JSON.stringify(href)}: ${safe ?? 'nowhere'}`, async () => {
      const expected = safe
        ? `<a href="${safe}" target="_blank" rel="noopener noreferrer nofollow">x</a>`
        : '<a>x</a>'
      expect(await shown(`<a href="${href}" target="_top" rel="opener">x</a>`)).toBe(expected)
    })
  }

  test('a place in the mail itself', async () => {
    expect(await shown('<a href="#two">x</a><p id="two">Two</p>')).toBe(
      '<a href="#two">x</a><p id="two">Two</p>',
    )
  })
})

describe('an image', () => {
  test('from elsewhere is not loaded, but can be', async () => {
    const html =
      '<img src="https://example.com/a.png" srcset="https://example.com/b.png 2x" width="10" alt="A">'
    expect(await parser.read(htmlMail(html))).toMatchObject({
      html: '<img width="10" alt="A" data-remote-src="https://example.com/a.png" />',
      hasRemoteImages: true,
    })
  })

  test('of our own server, of a file or of a script is dropped', async () => {
    for (const src of [
      '/v1/tickets',
      'a.png',
      '//x/a.png',
      'javascript:x',
      'data:image/svg+xml,<svg/>',
      'file:///a.png',
    ]) {
      const mail = await parser.read(htmlMail(`<img src="${src}" data-remote-src="${src}" data-cid="x">`))
      expect([src, mail.html, mail.hasRemoteImages]).toEqual([src, '<img />', false])
    }
  })
})

/** Style that loads something, in ways that browsers understand. */
const LOADING_STYLES = [
  'background: url(https://evil.test/x)',
  'background: URL( "https://evil.test/x" )',
  "background: url('https://evil.test/)x')",
  'background: u\\72l(https://evil.test/x)',
  'background: \\75\\72\\6C(https://evil.test/x)',
  'background: \\000075rl(https://evil.test/x)',
  'background: \\url(https://evil.test/x)',
  'background: \\\\37 5rl(https://evil.test/x)',
  'background: \\7\\35 rl(https://evil.test/x)',
  'background: ur/**/l(https://evil.test/x); background: url(/**/https://evil.test/x)',
  'background: uurl(x)rl(https://evil.test/x)',
  'background: image-set("https://evil.test/x" 1x)',
  'background: -webkit-image-set(url(https://evil.test/x) 1x)',
  'list-style: url(https://evil.test/x); cursor: url(https://evil.test/x), auto',
  'content: url(https://evil.test/x',
  'behavior: url(https://evil.test/x); -moz-binding: url(https://evil.test/x)',
  'width: expression(alert("https://evil.test/x"))',
]
const LOADING_RULES = [
  '@import "https://evil.test/x";',
  '@IMPORT url(https://evil.test/x);',
  '@\\69mport "https://evil.test/x";',
  '@im@import x;port "https://evil.test/x";',
  '@im/**/port "https://evil.test/x";@import/**/"https://evil.test/x";',
  '@font-face { font-family: x; src: url(https://evil.test/x) }',
  '@import "https://evil.test/x"',
]

describe('style loads nothing:', () => {
  for (const style of LOADING_STYLES) {
    test(style, async () => {
      const safe = await shown(
        `<p style="${style.replaceAll('"', '&quot;')}">a</p><style>p { ${style} }</style>`,
      )
      expect(safe).not.toMatch(/url\s*\(|image-set\s*\(|expression\s*\(|behavior|-moz-binding|\\75/i)
    })
  }
  for (const rule of LOADING_RULES) {
    test(rule, async () => expect(await shown(`<style>${rule}</style>`)).not.toMatch(/@import|url\s*\(/i))
  }

  test('but keeps its other rules', async () => {
    const css = '@media (max-width: 600px) { .a > b::before { content: "\\201C"; color: #fff } }'
    expect(await shown(`<style>${css}</style>x`)).toBe(`<style>${css.replace('\\201C', '\\201C ')}</style>x`)
    expect(await shown('<p style="font-family: \'A B\', \\41 x; margin: 0 !important">x</p>')).toBe(
      '<p style="font-family: \'A B\', Ax; margin: 0 !important">x</p>',
    )
  })
})

describe('the text of an HTML mail', () => {
  const TEXTS: [html: string, text: string][] = [
    ['<p>One</p><p>Two<br>lines</p>', 'One\n\nTwo\nlines'],
    ['<div>One</div><div>Two</div>', 'One\nTwo'],
    ['<ul><li>One<li>Two</ul>', '- One\n- Two'],
    ['<table><tr><td>A</td><td>B</td></tr><tr><td>C</td></tr></table>', 'A B\nC'],
    ['<a href="https://example.com/x">Click</a>', 'Click (https://example.com/x)'],
    ['<a href="https://example.com/">example.com</a>', 'example.com'],
    ['<a href="mailto:ana@example.com">ana@example.com</a>', 'ana@example.com'],
    ['a&nbsp;&amp;&#8364;&lt;b&gt;', 'a &€<b>'],
    ['<pre>a\n  b</pre>', 'a\n  b'],
    ['<style>p{}</style><script>x</script><title>x</title>Hi<!-- no -->', 'Hi'],
    ['<b>Bold</b> <i>text</i>,  and\n more', 'Bold text, and more'],
    ['1 < 2', '1 < 2'],
    ['<img alt="Our logo" src=x>', '[Our logo]'],
    ['Broken <a href="x', 'Broken'],
    ['<p title="a > b">Hi</p>', 'Hi'],
  ]
  for (const [html, text] of TEXTS) {
    test(`reads ${html}`, async () => expect((await parser.read(htmlMail(html))).text).toBe(text))
  }
})

test('all HTML parts of a mail are shown, with the texts between them', async () => {
  const parts = ['html\r\n\r\n<p>One</p>', 'plain\r\n\r\n<Two>', 'html\r\n\r\n<p>Three</p>']
  const mail = await parser.read(
    multipartMail(
      'mixed',
      parts.map((part) => `Content-Type: text/${part}`),
    ),
  )
  expect(mail.text).toBe('One\n\n<Two>\n\nThree')
  expect(mail.html).toBe(
    '<p>One</p><br />\n<div style="white-space: pre-wrap">&lt;Two&gt;</div><br />\n<p>Three</p>',
  )
})

/** HTML with a text that no mail program shows, and one that looks like it. */
const HIDDEN: [html: string, text: string][] = [
  ['<div style="display:none;font-size:1px">Preview</div><p>Hello</p>', 'Hello'],
  ['<div style="display: none !important">a<div>b</div>c</div>Hello', 'Hello'],
  ['<span hidden>Preview</span>Hello', 'Hello'],
  ['<div style="max-height:0px;overflow:hidden">Preview</div>Hello', 'Hello'],
  ['<p style="opacity:0">Preview<p>Hello', 'Hello'],
  ['<div style="visibility:hidden">Preview</div>Hello', 'Hello'],
  ['<div style="font-size:0">Preview</div>Hello', 'Hello'],
  ['<img style="display:none" alt="Pixel">Hello', 'Hello'],
  ['<td style="font-size:0px"><div style="font-size:13px">Hello</div></td>', 'Hello'],
  ['<a title="hidden" href="https://a.test/" style="mso-hide:all">Hello</a>', 'Hello (https://a.test/)'],
  ['<td style="max-width:0;overflow:hidden;opacity:0.5">Hello</td>', 'Hello'],
  ['<div style="display:none">Never closed', 'Never closed'],
]

describe('the text has what an HTML mail shows:', () => {
  for (const [html, text] of HIDDEN) {
    test(html, async () => expect((await parser.read(htmlMail(html))).text).toBe(text))
  }
})
