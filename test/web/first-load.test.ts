import { afterAll, expect } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'

/** Scripts of the inbox until it can be used, compressed. Bytes. */
const MAX_SCRIPT_BYTES = 145 * 1024
const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const agent = await signInAgent(bellhop, (await bellhop.organization('Acme')).orgId, { role: 'admin' })

browserTest('the inbox loads little code before it can be used, and none of the settings', async () => {
  const page = await openPage({ isFirstVisit: true, url: bellhop.url, agent })
  const scripts = new Set<string>()
  page.on('response', (response) => {
    if (/\/assets\/.*\.js$/.test(response.url())) scripts.add(response.url())
  })
  // What comes later, while nothing else is to do, keeps no one from working.
  await page.goto('/inbox')
  await page.getByText('Your inbox is ready').waitFor()
  const sizes = await Promise.all([...scripts].map(compressedSize))
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_SCRIPT_BYTES)
  expect([...scripts].filter((url) => url.includes('settings'))).toEqual([])
})

browserTest('a slow session shows the frame of the page, and no lost connection', async () => {
  const page = await openPage({ isFirstVisit: true, url: bellhop.url, agent })
  const letGo = Promise.withResolvers<void>()
  await interceptRequests(page, '**/console/session', async (route) => {
    await letGo.promise
    await route.continue()
  })
  await page.goto('/inbox')
  await page.getByRole('status', { name: 'Loading Bellhop' }).waitFor()
  letGo.resolve()
  await page.getByRole('navigation', { name: 'Views' }).waitFor()
  expect(await page.locator('.signed-in-page-skeleton, .live-banner').count()).toBe(0)
})

for (const theme of ['light', 'dark'] as const) {
  browserTest(`${theme} as it was chosen is there with the first paint`, async () => {
    const other = theme === 'dark' ? 'light' : 'dark'
    const page = await openPage({ isFirstVisit: true, url: bellhop.url, theme: other })
    await page.addInitScript((chosen) => localStorage.setItem('bellhop.theme', chosen), theme)
    // Without the scripts that come later.
    await interceptRequests(page, /\/assets\/(?!first-paint).*\.js$/, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: '' }),
    )
    await page.goto('/sign-in')
    expect(await page.evaluate(brightness)).toBe(theme)

    await page.addInitScript(() => localStorage.setItem('bellhop.theme', 'system'))
    await page.reload()
    expect(await page.evaluate(brightness)).toBe(other)
  })
}

async function compressedSize(url: string): Promise<number> {
  return gzipSync(await (await fetch(url)).arrayBuffer(), { level: 9 }).length
}

/** Runs in the page. */
function brightness(): string {
  const [red = '0'] = getComputedStyle(document.body).backgroundColor.match(/\d+/) ?? []
  return Number(red) > 127 ? 'light' : 'dark'
}
