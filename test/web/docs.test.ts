import { expect } from 'bun:test'
import { GUIDES } from '../../server/http/docs/guides.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'
import { showsForMoment } from '../support/momentary-text.ts'

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

browserTest('code is copied with a button', async () => {
  await using window = await openWindow({ url: bellhop.url })
  const { page } = window
  await page.goto('/docs/api')
  await Promise.all([
    showsForMoment(page, 'Copied'),
    page.getByRole('button', { name: 'Copy' }).first().click(),
  ])
  expect(await page.evaluate('navigator.clipboard.readText()')).toStartWith(`curl ${bellhop.url}/v1/tickets`)
})

browserTest('the documentation has the theme chosen in the inbox, and its font', async () => {
  await using window = await openWindow({ url: bellhop.url, theme: 'light' })
  const { page } = window
  await page.goto('/docs/inbox')
  const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
  const light = await ground()
  await page.evaluate(`localStorage.setItem('bellhop.theme', 'dark')`)
  await page.reload()
  expect(await ground()).not.toEqual(light)
  await page.evaluate('document.fonts.ready')
  const loaded = await page.evaluate(
    `[...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family)`,
  )
  expect(loaded).toEqual([expect.stringContaining('Inter Variable')])
})
