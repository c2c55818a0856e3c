import { paintedPng } from '../images.ts'

/** They must not change what is around the mail. The last ones end elsewhere for readers that count only braces. */
const STYLES = `body { background: #eef; color: #222 }
p, .note > a { color: rgb(150, 0, 0); margin: 0 0 8px }
div { letter-spacing: .1px }
@media (max-width: 600px) { .wide { width: 100% !important } }
@font-face { font-family: Brand; src: url(https://tracker.example/brand.woff) }
p { content: "}" } h1 { display: none }
p { color: rgb(} h3 { display: none } a) }
b[title="{"] { color: red } h4 { display: none }
p { color: red; & h5 { display: none } } :is(a, b) i { color: red }
@layer mail { h6 { display: none } } @supports (color: red) { @media print { u { color: red } } }
p { font-family: 'x } h1 { display: none } em { font-family: y' }`

/**
 * A mail as Outlook and newsletters write them: HTML with styles, two images in it and one elsewhere, a quoted mail with an
 * image of its own, and a PDF. The text has marks where the images are.
 */
export function richMail(headers: string[]): string {
  const html = `<html><head><style>${STYLES}</style></head><body>
<table class="wide" width="560"><tr><td><img src="cid:logo%40customer" alt="Customer Ltd" width="120" height="40"></td>
<td align="right" style="color:#667">Claim 1001</td></tr></table>
<h2 style="color:#069">The parcel arrived <em>broken</em></h2>
<p class="note">Please see the photo, and <a href="https://customer.test/claims/1001?a=1&amp;b=2">the claim</a>.</p>
<p><img src="cid:photo@customer" alt="The box" width="240" height="160"></p>
<img src="https://tracker.example/pixel.png?id=7&amp;x=1" alt="">
<p>Ana</p>
<p>On 3 March 2026, Ben wrote:</p><blockquote type="cite">How can I help? <img src="cid:quoted@customer" alt="Acme"></blockquote>
</body></html>`
  const text = `[cid:logo@customer]
Claim 1001

The parcel arrived broken

Please see the photo, and the claim<https://customer.test/claims/1001>.

[cid:photo@customer]
[cid:gone@customer]

Ana

On 3 March 2026, Ben wrote:
> How can I help? [cid:quoted@customer]`
  return [
    ...headers,
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=mixed',
    '',
    '--mixed',
    'Content-Type: multipart/related; boundary=related',
    '',
    '--related',
    'Content-Type: multipart/alternative; boundary=alternative',
    '',
    ...part('alternative', 'Content-Type: text/plain; charset=utf-8', text),
    ...part('alternative', 'Content-Type: text/html; charset=utf-8', html),
    '--alternative--',
    ...image('related', 'logo', paintedPng(120, 40)),
    ...image('related', 'photo', paintedPng(240, 160)),
    ...image('related', 'quoted', paintedPng(20, 20)),
    '--related--',
    ...file(
      'mixed',
      'application/pdf; name=claim.pdf',
      ['Content-Disposition: attachment; filename=claim.pdf'],
      '%PDF-1.4 claim',
    ),
    '--mixed--',
    '',
  ].join('\r\n')
}

function part(boundary: string, type: string, content: string): string[] {
  return [`--${boundary}`, type, '', content.replaceAll('\n', '\r\n')]
}

function image(boundary: string, name: string, bytes: Uint8Array): string[] {
  const headers = [`Content-ID: <${name}@customer>`, `Content-Disposition: inline; filename=${name}.png`]
  return file(boundary, 'image/png', headers, bytes)
}

function file(boundary: string, type: string, headers: string[], content: Uint8Array | string): string[] {
  const base64 = Buffer.from(content).toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  return [
    `--${boundary}`,
    `Content-Type: ${type}`,
    ...headers,
    'Content-Transfer-Encoding: base64',
    '',
    base64,
  ]
}
