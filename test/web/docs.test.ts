import { expect } from 'bun:test'
import { GUIDES } from '../../server/http/docs/guides.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'

const bellhop = await sharedBellhop()

browserTest('the documentation can be read by everyone', async () => {
  await using window = await openWindow({ url: bellhop.url, width: 390, height: 844 })
  // The one page made from the routes, and a guide with everything that a guide has.
  for (const path of ['/docs', '/docs/api']) {
    await window.page.goto(path)
    expect([path, ...(await accessibilityFaultsInBothThemes(window.page))]).toEqual([path])
  }
})

browserTest('the documentation fits on a phone', async () => {
  await using window = await openWindow({ url: bellhop.url, width: 390, height: 844 })
  for (const path of ['/docs', ...GUIDES.map(({ slug }) => `/docs/${slug}`)]) {
    await window.page.goto(path)
    expect([path, await window.page.evaluate('document.documentElement.scrollWidth')]).toEqual([path, 390])
  }
})
