import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests } from '../support/browser.ts'
import { paintedPng } from '../support/images.ts'
import { openTicket, openWorkspace } from '../support/ticket-page.ts'
import { makeTicket } from '../support/tickets.ts'
import { upload } from '../support/uploads.ts'
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
  const page = await openTicket(bellhop, ben, ticket.id, { isFirstVisit: true })
  const release = Promise.withResolvers<void>()
  await interceptRequests(page, '**/v1/attachments/*', async (route) => {
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
  const page = await openTicket(bellhop, ben, ticket.id)
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
