import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'

const bellhop = await sharedBellhop()

const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })

async function openSettings(path: string) {
  const { orgId } = await bellhop.organization('Acme')
  const agent = await signInAgent(bellhop, orgId, { name: 'Nora Quinn', role: 'admin' })
  const page = await openPage({ url: bellhop.url, agent })
  await page.goto(`/settings${path}`)
  return { agent, page }
}

browserTest('the signatures of an agent and of the organization are formatted', async () => {
  const { agent, page } = await openSettings('/account')
  const field = page.getByRole('textbox', { name: 'Your signature' })
  await field.fill('Nora Quinn\nAcme')
  await field.evaluate((element) => {
    if (element instanceof HTMLTextAreaElement) element.setSelectionRange(0, 'Nora Quinn'.length)
  })
  await field.press('Control+b')
  await preview(page).locator('strong').waitFor()
  await page.getByRole('button', { name: 'Save signature' }).click()
  await page.getByText('Signature saved.').waitFor()
  const own = await agent.call<{ signature: string }>('GET', '/console/me/signature')
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
