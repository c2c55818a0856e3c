import { expect } from 'bun:test'
import { GUIDES } from '../../server/http/docs/guides.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'

const bellhop = await sharedBellhop()

browserTest('the documentation can be read by everyone', async () => {
  const page = await openPage({ url: bellhop.url, width: 390, height: 844 })
  // The one page made from the routes, and a guide with everything that a guide has.
  for (const path of ['/docs', '/docs/api']) {
    await page.goto(path)
    expect([path, ...(await accessibilityFaultsInBothThemes(page))]).toEqual([path])
  }
})

browserTest('the documentation fits on a phone', async () => {
  const page = await openPage({ url: bellhop.url, width: 390, height: 844 })
  for (const path of ['/docs', ...GUIDES.map(({ slug }) => `/docs/${slug}`)]) {
    await page.goto(path)
    expect([path, await page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 390])
  }
})
