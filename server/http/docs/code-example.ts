import { type Html, html } from './html.ts'

/** Code to read and to copy; the script of the page adds the button. It scrolls, so the keyboard can reach it. */
export function codeExample(code: Html | string, label: string): Html {
  return html`<div class="code"><pre tabindex="0" role="group" aria-label="${label}"><code>${code}</code></pre></div>`
}
