import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { GMAIL, SHEETS, WORD } from '../support/clipboards.ts'
import { draftBecomes } from '../support/threads.ts'
import { editor, openTicketPage, textIn } from '../support/ticket-page.ts'

const bellhop = await sharedBellhop()

function paste(page: Page, clipboard: { html: string; text: string }): Promise<void> {
  return editor(page).evaluate((element, { html, text }) => {
    const clipboardData = new DataTransfer()
    if (html) clipboardData.setData('text/html', html)
    clipboardData.setData('text/plain', text)
    element.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true, clipboardData }))
  }, clipboard)
}

for (const [program, clipboard, markdown] of [
  [
    'Word',
    WORD,
    'Dear **Ana**, see [our _guide_](https://a.test/guide):\n1. Open Billing\n   - a card\n2. Pay\n\nPlan\tPrice\nPro\t9 €\n\nBye',
  ],
  [
    'Gmail',
    GMAIL,
    'Hello **Ana**,\n\nyour _invoice_\nis [paid](https://a.test/paid).\n- one\n- two\n\n> Where is it?\n\nx',
  ],
  ['Sheets', SHEETS, 'Plan\tPrice\nPro\t9 €'],
] as const) {
  browserTest(`what is pasted from ${program} keeps its formatting, and loads nothing`, async () => {
    const { ben, ticket, page } = await openTicketPage(bellhop)
    const requests: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    await page.keyboard.press('r')
    await paste(page, clipboard)
    await draftBecomes(ben, ticket.id, { text: markdown })
    expect(requests.filter((url) => url.includes('evil'))).toEqual([])
    expect(await page.locator('style').count()).toBe(0)
  })
}

browserTest('plain text is pasted as it is, and an address makes a link of the selection', async () => {
  const { ben, ticket, page } = await openTicketPage(bellhop)
  await page.keyboard.press('r')
  await paste(page, { html: '', text: 'run __init__.py\nnow\n\n2 * 3 * 4' })
  expect(await textIn(page)).toBe('run __init__.py\nnow\n\n2 * 3 * 4')
  await page.keyboard.press('Control+a')
  await page.keyboard.type('See our guide')
  for (let at = 0; at < 'guide'.length; at++) await page.keyboard.press('Shift+ArrowLeft')
  await paste(page, { html: '', text: 'https://a.test/guide' })
  await draftBecomes(ben, ticket.id, { text: 'See our [guide](https://a.test/guide)' })
  // Ctrl+Shift+V.
  await page.evaluate(
    ([html, text]) =>
      navigator.clipboard.write([
        new ClipboardItem({
          'text/html': new Blob([html ?? ''], { type: 'text/html' }),
          'text/plain': new Blob([text ?? ''], { type: 'text/plain' }),
        }),
      ]),
    ['<b>bold</b>', 'bold'],
  )
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+Shift+v')
  await draftBecomes(ben, ticket.id, { text: 'bold' })
  await page.keyboard.press('Control+a')
  await page.keyboard.press('Control+v')
  await draftBecomes(ben, ticket.id, { text: '**bold**' })
})
