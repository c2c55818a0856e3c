import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest } from '../support/browser.ts'
import { openSettings } from '../support/settings-page.ts'
import { eventually } from '../support/webhooks.ts'

// Unsaved text in the fields of the settings: kept while others change the same values, and when leaving the page.
const bellhop = await sharedBellhop()

browserTest(
  'fields follow what another administrator saves, except fields with unsaved changes',
  async () => {
    const { client, page } = await openSettings(bellhop, '/organization')
    const other = await signInAgent(bellhop, client.orgId, { role: 'admin', name: 'Otto Other' })
    await page.getByRole('textbox', { name: 'Website' }).fill('https://typed.example')
    await patch(other, '/organization', {
      name: 'Acme Limited',
      publicName: 'Acme Help',
      website: 'https://other.example',
    })
    await eventually(async () => (await shownIn(page, 'Public name')) === 'Acme Help')
    await eventually(async () => (await shownIn(page, 'Organization name')) === 'Acme Limited')
    expect(await shownIn(page, 'Website')).toBe('https://typed.example')

    // What is saved is no longer typed: it follows again.
    await page.getByRole('button', { name: 'Save identity' }).click()
    await page.getByText('Business identity saved.').waitFor()
    await patch(other, '/organization', { website: 'https://newest.example' })
    await eventually(async () => (await shownIn(page, 'Website')) === 'https://newest.example')
    await page.getByRole('link', { name: 'Agents' }).click()
    await page.getByRole('heading', { name: 'Agents', exact: true }).waitFor()
    expect(await page.getByText("weren't saved").count()).toBe(0)
  },
)

browserTest('closing or reloading a tab asks first only while there are unsaved changes', async () => {
  const { page } = await openSettings(bellhop, '/organization')
  const isAsked = async () => {
    const asked: string[] = []
    page.once('dialog', (dialog) => {
      asked.push(dialog.type())
      void dialog.accept()
    })
    await page.reload()
    page.removeAllListeners('dialog')
    return asked.includes('beforeunload')
  }
  const type = async (label: string, text: string) => {
    await page.getByLabel(label, { exact: true }).click()
    await page.keyboard.type(text)
  }
  await type('Signature', 'Kind regards')
  await page.getByRole('button', { name: 'Save identity' }).click()
  await page.getByText('Business identity saved.').waitFor()
  expect(await isAsked()).toBe(false)
  await type('Public name', 'Acme')
  expect(await isAsked()).toBe(true)
  await type('Public name', 'A')
  await page.keyboard.press('Backspace')
  expect(await isAsked()).toBe(false)

  await page.goto('/settings/account')
  await type('New password', 'a new horse battery')
  const stored = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))
  expect(stored).not.toContain('new horse')
  expect(await isAsked()).toBe(true)
  await page.goto('/settings/agents')
  await page.getByRole('button', { name: 'Invite' }).click()
  await type('Name', 'Bo')
  expect(await isAsked()).toBe(true)
  await page.getByRole('button', { name: 'Invite' }).click()
  await type('Name', 'Bo')
  await page.getByRole('button', { name: 'Cancel' }).click()
  expect(await isAsked()).toBe(false)
})

function shownIn(page: Page, label: string): Promise<string> {
  return page.getByLabel(label, { exact: true }).inputValue()
}

async function patch(agent: SignedInAgent, path: string, body: object): Promise<void> {
  const answer = await agent.call('PATCH', `/console${path}`, { body })
  expect(answer.status, answer.text).toBe(200)
}
