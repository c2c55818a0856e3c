import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })

async function openSettings(path: string) {
  const { orgId } = await bellhop.organization('Acme')
  const agent = await signInAgent(bellhop, orgId, { name: 'Nora Quinn', role: 'admin' })
  const window = await openWindow({ url: bellhop.url, agent })
  await window.page.goto(`/settings${path}`)
  return { agent, window, page: window.page }
}

browserTest(
  'a saved reply is formatted with the toolbar and keys, and previewed with its variables',
  async () => {
    const { agent, page, window } = await openSettings('/saved-replies/new')
    await using _ = window
    await page.getByLabel('Name').fill('Refund')
    await page.getByLabel('Text').fill('Hi {{customer.firstName}},\nyour refund is on its way')
    await page.getByLabel('Text').press('ControlOrMeta+a')
    await page.getByRole('button', { name: 'Bulleted list' }).click()
    await page.getByLabel('Text').press('End')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Control+b')
    await page.getByRole('button', { name: 'Ticket ID' }).click()
    const text = '- Hi {{customer.firstName}},\n- your refund is on its way\n- **{{ticket.id}}**'
    expect(await page.getByLabel('Text').inputValue()).toBe(text)
    await eventually(async () => (await preview(page).locator('li').count()) === 3)
    expect(await preview(page).locator('li').first().textContent()).toBe('Hi Maya,')
    expect(await preview(page).locator('li strong mark').textContent()).toStartWith('tkt_')
    await page.keyboard.press('Control+z')
    expect(await page.getByLabel('Text').inputValue()).toBe(text.replace('{{ticket.id}}', ''))
    await page.keyboard.press('Control+Shift+z')
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])

    await page.getByRole('button', { name: 'Save reply' }).click()
    await page.getByText('- your refund is on its way - {{ticket.id}}').waitFor()
    const { json } = await agent.call<{ data: { text: string }[] }>('GET', '/console/saved-replies')
    expect(json.data.map((reply) => reply.text)).toEqual([text])
  },
)

browserTest('the signatures of an agent and of the organization are formatted', async () => {
  const { agent, page, window } = await openSettings('/account')
  await using _ = window
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

browserTest(
  'the address of a link in the settings is asked for and saved without saving the page',
  async () => {
    const { page, window } = await openSettings('/account')
    await using _ = window
    await page.getByRole('textbox', { name: 'Your signature' }).fill('See ')
    await page.getByRole('textbox', { name: 'Your signature' }).press('Control+k')
    const form = page.getByRole('dialog', { name: 'Link' })
    await form.getByLabel('Address').fill('acme.test')
    await form.getByLabel('Text').fill('our site')
    await page.keyboard.press('Enter')
    expect(await page.getByRole('textbox', { name: 'Your signature' }).inputValue()).toBe(
      'See [our site](https://acme.test)',
    )
    expect(await page.getByText('Signature saved.').count()).toBe(0)
  },
)
