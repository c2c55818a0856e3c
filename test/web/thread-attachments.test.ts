import { expect } from 'bun:test'
import { unlinkSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { paintedPng } from '../support/images.ts'
import { openLedger } from '../support/mail/fetched-mail.ts'
import { openTicket, openWorkspace } from '../support/ticket-page.ts'
import { makeTicket } from '../support/tickets.ts'
import { storedPath, upload } from '../support/uploads.ts'
import { eventually } from '../support/webhooks.ts'

const WIDE = paintedPng(1200, 800)
const TALL = paintedPng(300, 1400)
const TINY = paintedPng(12, 8)

const bellhop = await sharedBellhop()

/** A ticket whose first message has files. */
async function openFiles(files: Record<string, string | Uint8Array<ArrayBuffer>>) {
  const { client, ben } = await openWorkspace(bellhop)
  const attachments: string[] = []
  for (const [name, content] of Object.entries(files)) {
    attachments.push((await upload(client, name, content)).id)
  }
  const ticket = await makeTicket(client, { subject: 'With files', attachments })
  return { ben, ticket }
}

const view = (page: Page, name: string) => page.getByRole('link', { name: `View ${name}` })
const viewer = (page: Page) => page.getByRole('dialog')
const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))

browserTest('images have their place before they load, and other files are rows', async () => {
  const { ben, ticket } = await openFiles({
    'wide.png': WIDE,
    'tall.png': TALL,
    'tiny.png': TINY,
    'log.txt': 'x',
  })
  await using window = await openTicket(bellhop, ben, ticket.id, { isFirstVisit: true })
  const { page } = window
  const release = Promise.withResolvers<void>()
  await page.route('**/v1/attachments/*', async (route) => {
    await release.promise
    await route.continue()
  })
  await page.reload()
  await view(page, 'wide.png').waitFor()
  const sizes = () =>
    page
      .locator('.attachment-list-thumbnail')
      .evaluateAll((all) => all.map((one) => [one.clientWidth, one.clientHeight]))
  const before = await sizes()
  // As it is shown: at most 280 by 200, and large enough to see and to click.
  expect(before).toEqual([
    [278, 185],
    [46, 198],
    [46, 46],
  ])
  release.resolve()
  const isLoaded = () =>
    page
      .locator('.attachment-list-thumbnail img')
      .evaluateAll((all) => all.every((one) => one instanceof HTMLImageElement && one.naturalWidth > 0))
  await eventually(isLoaded)
  expect(await sizes()).toEqual(before)
  const saving = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download log.txt 1 B' }).click()
  expect((await saving).suggestedFilename()).toBe('log.txt')
})

browserTest('the viewer goes through the images by keys, zooms, saves, and returns the focus', async () => {
  const { ben, ticket } = await openFiles({ 'wide.png': WIDE, 'log.txt': 'x', 'tall.png': TALL })
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  await view(page, 'wide.png').focus()
  await page.keyboard.press('Enter')
  await viewer(page).getByRole('heading', { name: 'wide.png' }).waitFor()
  await viewer(page).getByText('1200 × 800').waitFor()
  await viewer(page).getByText('1 of 2').waitFor()
  const width = async () => (await viewer(page).getByRole('img').boundingBox())?.width ?? 0
  const image = viewer(page).getByRole('img', { name: 'wide.png' })
  await eventually(() => image.evaluate((one: HTMLImageElement) => one.naturalWidth > 0))
  const fitted = await width()
  await page.keyboard.press('+')
  const once = await width()
  await page.keyboard.press('+')
  expect(once).toBeGreaterThan(fitted)
  expect(await width()).toBeCloseTo(once * 1.5, -1)
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.keyboard.press('-')
  expect(await width()).toBeCloseTo(once, -1)
  await page.keyboard.press('0')
  expect(await width()).toBe(fitted)
  const saving = page.waitForEvent('download')
  await page.keyboard.press('d')
  expect((await saving).suggestedFilename()).toBe('wide.png')

  await page.keyboard.press('ArrowRight')
  await viewer(page).getByRole('heading', { name: 'tall.png' }).waitFor()
  // There is no third one.
  await page.keyboard.press('ArrowRight')
  await viewer(page).getByText('2 of 2').waitFor()
  // The keys of the ticket do nothing below it.
  await page.keyboard.press('e')
  await page.keyboard.press('Escape')
  await viewer(page).waitFor({ state: 'detached' })
  await eventually(async () => (await focused(page)) === 'View tall.png')
  const beside = page.context().waitForEvent('page')
  await view(page, 'wide.png').click({ modifiers: ['ControlOrMeta'] })
  await (await beside).close()
  expect(await viewer(page).count()).toBe(0)
})

browserTest('a file that is missing on the server says so', async () => {
  const lost = paintedPng(60, 40)
  const { ben, ticket } = await openFiles({ 'lost.png': lost, 'lost.txt': 'Lost words', 'kept.png': TINY })
  for (const content of [lost, 'Lost words']) unlinkSync(storedPath(bellhop.deps, content))
  await using window = await openTicket(bellhop, ben, ticket.id)
  const { page } = window
  const reason = 'The file is missing on the server. It may be in a backup.'
  await view(page, 'lost.png').getByText(reason).waitFor()
  await page.getByRole('link', { name: 'Download lost.txt' }).click()
  await page.getByRole('listitem').filter({ hasText: 'lost.txt' }).getByText(reason).waitFor()
  await view(page, 'lost.png').click()
  await viewer(page).getByText(reason).waitFor()
  await page.keyboard.press('ArrowRight')
  await viewer(page).getByRole('img', { name: 'kept.png' }).waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
})

browserTest('an image within the HTML of a mail is listed only when the text is shown', async () => {
  const { client, ben } = await openWorkspace(bellhop)
  const ledger = await openLedger(bellhop, client.orgId, 'files@acme.example')
  const { ticketId } = await ledger.fetched(mailWithImage())
  await using window = await openTicket(bellhop, ben, ticketId ?? '')
  const { page } = window
  await page.frameLocator('.mail-frame iframe').getByRole('img', { name: 'Our logo' }).waitFor()
  await page.getByRole('link', { name: 'Download terms.pdf' }).waitFor()
  expect(await page.locator('.attachment-list').getByRole('link').count()).toBe(1)
  await page.getByRole('button', { name: 'Actions for this message' }).click()
  await page.getByRole('menuitem', { name: 'Show plain text' }).click()
  await view(page, 'logo.png').waitFor()
  expect(await page.locator('.attachment-list').getByRole('link').count()).toBe(2)
})

function mailWithImage(): string {
  const encoded = (bytes: Uint8Array | string) =>
    Buffer.from(bytes).toString('base64').replaceAll(/.{76}/g, '$&\r\n')
  return [
    'From: Ana Pires <ana@customer.test>',
    'To: Support <files@acme.example>',
    'Subject: Terms',
    'Message-ID: <terms@customer.test>',
    'Content-Type: multipart/mixed; boundary=outer',
    '',
    '--outer',
    'Content-Type: multipart/related; boundary=inner',
    '',
    '--inner',
    'Content-Type: text/html; charset=utf-8',
    '',
    '<h2 style="color: green">Terms</h2><p>Please <b>sign</b> them.</p><img src="cid:logo@customer.test" alt="Our logo">',
    '--inner',
    'Content-Type: image/png; name=logo.png',
    'Content-ID: <logo@customer.test>',
    'Content-Transfer-Encoding: base64',
    '',
    encoded(paintedPng(80, 40)),
    '--inner--',
    '--outer',
    'Content-Type: application/pdf; name=terms.pdf',
    'Content-Disposition: attachment; filename=terms.pdf',
    'Content-Transfer-Encoding: base64',
    '',
    encoded('%PDF-1.7 Terms'),
    '--outer--',
    '',
  ].join('\r\n')
}
