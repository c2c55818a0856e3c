import { afterAll, expect } from 'bun:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { signInAgent } from '../support/agents.ts'
import { startBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'
import { openWorkspace } from '../support/ticket-page.ts'

/** Scripts of the inbox until it can be used, compressed. Bytes. */
const MAX_SCRIPT_BYTES = 150 * 1024
/** All that it loads, with what comes while nothing else is to do. */
const MAX_INBOX_BYTES = 262 * 1024
/** Of which the editor. */
const MAX_EDITOR_BYTES = 82 * 1024
const bellhop = await startBellhop()
afterAll(() => bellhop.stop())
const agent = await signInAgent(bellhop, (await bellhop.organization('Acme')).orgId, { role: 'admin' })

browserTest('the inbox loads little code before it can be used, and none of the settings', async () => {
  const page = await openPage({ isFirstVisit: true, url: bellhop.url, agent })
  const scripts = scriptsOf(page)
  // What comes later, while nothing else is to do, keeps no one from working.
  await page.addInitScript(() => Object.assign(window, { requestIdleCallback() {} }))
  await page.goto('/inbox')
  await page.getByText('Your inbox is ready').waitFor()
  expect(await sizeOf([...scripts])).toBeLessThan(MAX_SCRIPT_BYTES)
  expect([...scripts].filter((url) => url.includes('settings'))).toEqual([])
})

browserTest('the inbox and the editor, loaded while nothing else is to do, stay small', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  const page = await openPage({ isFirstVisit: true, url: bellhop.url, agent: ben })
  const scripts = scriptsOf(page)
  await page.goto(`/inbox/open/${ticket.id}`)
  // The last ones to be loaded are those of the settings.
  await page.waitForRequest(/settings-page-.*\.js/)
  const own = [...scripts]
  const editor = own.filter((url) => url.includes('/rich-field-'))
  expect(editor).toHaveLength(1)
  expect(await sizeOf(editor)).toBeLessThan(MAX_EDITOR_BYTES)
  expect(await sizeOf(own)).toBeLessThan(MAX_INBOX_BYTES)
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

/** The scripts that a page has loaded so far. */
function scriptsOf(page: Page): Set<string> {
  const scripts = new Set<string>()
  page.on('response', (response) => {
    if (/\/assets\/.*\.js$/.test(response.url())) scripts.add(response.url())
  })
  return scripts
}

/** Compressed. Bytes. */
async function sizeOf(urls: string[]): Promise<number> {
  const sizes = await Promise.all(urls.map(compressedSize))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function compressedSize(url: string): Promise<number> {
  return gzipSync(await (await fetch(url)).arrayBuffer(), { level: 9 }).length
}

/** Runs in the page. */
function brightness(): string {
  const [red = '0'] = getComputedStyle(document.body).backgroundColor.match(/\d+/) ?? []
  return Number(red) > 127 ? 'light' : 'dark'
}
