import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { openSettings } from '../support/settings-page.ts'

const bellhop = await sharedBellhop()

const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })

browserTest('the signatures of an agent and of the organization are formatted', async () => {
  const { admin, page } = await openSettings(bellhop, '/account')
  const field = page.getByRole('textbox', { name: 'Your signature' })
  await field.fill('Nora Quinn\nAcme')
  await field.evaluate((element) => {
    if (element instanceof HTMLTextAreaElement) element.setSelectionRange(0, 'Nora Quinn'.length)
  })
  await field.press('Control+b')
  await preview(page).locator('strong').waitFor()
  await page.getByRole('button', { name: 'Save signature' }).click()
  await page.getByText('Signature saved.').waitFor()
  const own = await admin.call<{ signature: string }>('GET', '/console/me/signature')
  expect(own.json.signature).toBe('**Nora Quinn**\nAcme')
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

  await page.goto('/settings/organization')
  await page.getByLabel('Signature').fill('[Acme](https://acme.test)')
  expect(await preview(page).getByRole('link', { name: 'Acme' }).getAttribute('href')).toBe(
    'https://acme.test/',
  )
  await page.getByRole('button', { name: 'Save identity' }).click()
  await page.getByText('Business identity saved.').waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
})
