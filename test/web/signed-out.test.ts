import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { createAgent } from '../../server/agents/agents.ts'
import { accessibilityFaults } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { eventually } from '../support/webhooks.ts'

const PASSWORD = 'correct horse battery'

/** In one organization only: an address in several would have to choose one. */
const emailOf = (name: string) => `${name}@signed-out.example`

const bellhop = await sharedBellhop()
const { orgId } = await bellhop.organization('Acme')
for (const name of ['ana', 'ben']) {
  await createAgent(bellhop.deps, orgId, { name, email: emailOf(name), role: 'agent', password: PASSWORD })
}

browserTest('when a session ends, signing in over the page continues the interrupted request', async () => {
  const page = await openPage(bellhop)
  await signIn(page, 'ana')
  await page.getByLabel('Your name').fill('Ana Pires')
  await page.context().clearCookies()
  await saveName(page)

  const dialog = page.getByRole('dialog', { name: 'Sign in again' })
  await dialog.waitFor()
  // Once nobody has pressed a key for a second.
  await eventually(async () => (await page.evaluate('document.activeElement.name')) === 'password')
  expect(await dialog.getByLabel('Email').inputValue()).toBe(emailOf('ana'))
  expect(await accessibilityFaults(page)).toEqual([])
  // What is announced meanwhile is heard over the dialog; the page below is not there for anybody.
  expect(await page.getByRole('region', { name: 'Notifications' }).count()).toBe(1)
  expect(await page.getByRole('button', { name: 'Save name' }).count()).toBe(0)
  await page.keyboard.press('Escape')
  expect(await dialog.isVisible()).toBe(true)

  await page.keyboard.type('mistyped')
  await page.keyboard.press('Enter')
  await dialog.getByRole('alert').waitFor()
  await page.keyboard.type(PASSWORD)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
  await page.getByText('Name saved.').waitFor()
  expect(await page.getByLabel('Your name').inputValue()).toBe('Ana Pires')
  const session = await page.request.get('/console/session')
  expect(await session.json()).toMatchObject({ agent: { name: 'Ana Pires' } })
})

browserTest('when another agent signs in in another tab, nothing is done in their name', async () => {
  const page = await openPage(bellhop)
  const context = page.context()
  await signIn(page, 'ben')
  await page.getByLabel('Your name').click()
  await page.keyboard.type(' of Acme')
  await context.clearCookies()
  await saveName(page)
  await page.getByRole('dialog', { name: 'Sign in again' }).waitFor()

  await signIn(await context.newPage(), 'ana')
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    void dialog.dismiss()
  })
  const loaded = page.waitForEvent('load')
  await page.evaluate('window.dispatchEvent(new Event("focus"))')
  await loaded
  await page.getByText(`signed in as ${emailOf('ana')}`).waitFor()
  expect(await page.getByLabel('Your name').inputValue()).not.toContain('of Acme')
  expect(asked).toEqual([])
})

browserTest('without a session the sign-in page is shown, not a dialog', async () => {
  const page = await openPage(bellhop)
  await page.goto('/settings/account')
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
})

/** By a script: the page may have noticed already that the session ended, and put its window over the button. */
async function saveName(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Save name', includeHidden: true })
  await button.evaluate((element: HTMLElement) => element.click())
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.goto('/settings/account')
  await page.getByLabel('Email').fill(emailOf(name))
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.getByLabel('Your name').waitFor()
  // What the page says of itself while it connects would meet the end of the session first.
  await page.waitForSelector('html[data-connection=online]')
}
