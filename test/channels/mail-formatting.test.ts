import { afterAll, describe, expect, test } from 'bun:test'
import { createTestParser, htmlMail } from '../support/mail/mail-parser.ts'

const parser = createTestParser()
afterAll(() => parser[Symbol.dispose]())

/** HTML of a mail, and whether it shows more than its text. */
const FORMATTED: [html: string, isFormatted: boolean][] = [
  ['<div dir="ltr">Hello,<br>my <span style="font-size: 12pt">invoice</span></div>', false],
  ['<p class="MsoNormal"><span style="color: #1F497D">Hello</span></p>', false],
  ['<p style="color: rgb(34, 34, 34); background-color: #fff">Hello</p>', false],
  ['<table><tr><td>Hello</td></tr></table>', false],
  ['Hello <img src="https://example.com/count.gif" width="1" height="1">', false],
  ['See <a href="https://example.com/a">https://example.com/a</a>', false],
  ['Write to <a href="mailto:ana@example.com">ana@example.com</a>', false],
  ['See <a href="https://example.com/a">our guide</a>', true],
  ['Hello <b>Ana</b>', true],
  ['<ul><li>One</li></ul>', true],
  ['<table><tr><td>Order</td><td>1001</td></tr></table>', true],
  ['<p style="color: red">Answer</p>', true],
  ['<p style="background: yellow">Marked</p>', true],
  ['Look: <img src="https://example.com/a.png">', true],
  ['Hello<blockquote type="cite"><b>Earlier</b> <img src="https://example.com/a.png"></blockquote>', false],
]

describe('HTML shows more than the text:', () => {
  for (const [html, isFormatted] of FORMATTED) {
    test(`${isFormatted ? 'yes' : 'no'}: ${html}`, async () => {
      expect((await parser.read(htmlMail(html))).isFormatted).toBe(isFormatted)
    })
  }
})

/** HTML with a quote, and what is left of it when the quote is hidden. */
const QUOTES: [program: string, html: string, written: string][] = [
  [
    'Gmail',
    '<div>New</div><div class="gmail_quote"><div class="gmail_attr">On 3 March 2026 Ben wrote:</div><blockquote class="gmail_quote">Old</blockquote></div>',
    'New',
  ],
  [
    'Apple Mail',
    'New<blockquote type="cite"><div>On 3 Mar 2026, at 09:30, Ben wrote:</div>Old</blockquote>',
    'New',
  ],
  [
    'Thunderbird',
    '<p>New</p><div class="moz-cite-prefix">On 3/3/26 09:30, Ben wrote:</div><blockquote type="cite">Old</blockquote>',
    'New',
  ],
  [
    'Outlook on the web',
    '<div>New</div><div id="appendonsend"></div><hr><div id="divRplyFwdMsg"><b>From:</b> Ben &lt;ben@example.com&gt;<br><b>Sent:</b> Tuesday<br><b>To:</b> Ana<br></div><div>Old</div>Older',
    'New',
  ],
  [
    'Outlook for Windows',
    '<p>New</p><div style="border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm"><p><b>From:</b> Ben &lt;ben@example.com&gt;<br><b>Sent:</b> Tuesday<br><b>To:</b> Ana</p></div><p>Old</p>',
    'New',
  ],
  [
    'a program without marks',
    '<p>New</p><p>On 3 March 2026, Ben &lt;ben@example.com&gt; wrote:</p><blockquote>Old</blockquote>',
    'NewOn 3 March 2026, Ben &lt;ben@example.com&gt; wrote:',
  ],
  [
    'answers between the lines',
    '<blockquote type="cite">First?</blockquote><p>Yes</p><blockquote type="cite">Second?</blockquote><p>No</p>',
    'First?YesSecond?No',
  ],
  ['nothing but a quote', '<blockquote type="cite">Old</blockquote>', 'Old'],
  ['a quotation', '<p>She said:</p><blockquote>Never</blockquote>', 'She said:Never'],
]

describe('the quoted mail at the end is marked, so that it can be hidden:', () => {
  for (const [program, html, written] of QUOTES) {
    test(program, async () => {
      const { html: marked } = await parser.read(htmlMail(html))
      expect(withoutQuotes(marked ?? '')).toBe(written)
    })
  }
})

function withoutQuotes(html: string): string {
  const hidden = new HTMLRewriter().on('[data-quote]', { element: (element) => void element.remove() })
  return hidden.transform(html).replaceAll(/<[^>]*>/g, '')
}
