import { expect } from 'bun:test'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { openSettings } from '../support/settings-page.ts'

const bellhop = await sharedBellhop()

browserTest('the signatures of an agent and of the organization are formatted', async () => {
  const { admin, page } = await openSettings(bellhop, '/account')
  const field = page.getByRole('textbox', { name: 'Your signature' })
  await field.and(page.locator('[contenteditable=true]')).click()
  await page.keyboard.type('Nora Quinn')
  await page.keyboard.press('Shift+Home')
  await page.keyboard.press('Control+b')
  await field.locator('strong').getByText('Nora Quinn').waitFor()
  await page.keyboard.press('End')
  await page.keyboard.press('Control+b')
  await page.keyboard.press('Shift+Enter')
  await page.keyboard.type('Acme')
  await page.getByRole('button', { name: 'Save signature' }).click()
  await page.getByText('Signature saved.').waitFor()
  const own = await admin.call<{ signature: string }>('GET', '/console/me/signature')
  expect(own.json.signature).toBe('**Nora Quinn**\nAcme')
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

  await page.goto('/settings/organization')
  const signature = page.getByLabel('Signature').and(page.locator('[contenteditable=true]'))
  await signature.click()
  await page.keyboard.type('[Acme](https://acme.test)')
  expect(await signature.locator('a').getAttribute('href')).toBe('https://acme.test')
  await page.getByRole('button', { name: 'Save identity' }).click()
  await page.getByText('Business identity saved.').waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
})
