import { afterAll, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await startBellhop()
afterAll(() => bellhop.stop())

browserTest('a page is shown in Inter and loads only the alphabets it shows', async () => {
  const page = await openPage({ isFirstVisit: true, url: bellhop.url })
  const files: string[] = []
  page.on('response', (response) => {
    if (!response.url().endsWith('.woff2')) return
    files.push(new URL(response.url()).pathname)
    expect(response.status()).toBe(200)
    expect(response.headers()).toMatchObject({
      'content-type': 'font/woff2',
      'cache-control': 'public, max-age=31536000, immutable',
    })
  })
  await openSignIn(page)
  await eventually(() => files.length > 0)
  await page.evaluate(() => document.fonts.ready)
  expect(files).toEqual([expect.stringMatching(/^\/assets\/inter-latin-wght-normal-[\w-]{8}\.woff2$/)])
  expect(await fontsOf(page, 'h1')).toEqual([{ family: 'Inter', isOfPage: true }])

  await page.locator('h1').evaluate((heading) => heading.append('привет'))
  await eventually(async () => files.some((file) => file.startsWith('/assets/inter-cyrillic-wght-normal-')))
})

/** Waits for the page, too: on a busy machine the network is idle before it is drawn. */
async function openSignIn(page: Page): Promise<void> {
  await page.goto('/sign-in', { waitUntil: 'networkidle' })
  await page.getByRole('heading', { level: 1 }).waitFor()
}

/** What the letters of an element are drawn in. */
async function fontsOf(page: Page, selector: string) {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('DOM.enable')
  await devTools.send('CSS.enable')
  const { root } = await devTools.send('DOM.getDocument')
  const { nodeId } = await devTools.send('DOM.querySelector', { nodeId: root.nodeId, selector })
  const { fonts } = await devTools.send('CSS.getPlatformFontsForNode', { nodeId })
  return fonts.map(({ familyName, isCustomFont }) => ({ family: familyName, isOfPage: isCustomFont }))
}
