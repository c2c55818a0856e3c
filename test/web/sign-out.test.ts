import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, faultsOf, interceptRequests, openPage } from '../support/browser.ts'

const bellhop = await sharedBellhop()
const acme = await bellhop.organization()

browserTest('signing out removes saved drafts from the browser', async () => {
  const page = await openPage({ url: bellhop.url, agent: await signInAgent(bellhop, acme.orgId) })
  await writeReply(page, 'Your refund is on its way.')
  await signOut(page)
  await page.waitForURL('**/sign-in')
  expect(await drafts(page)).toEqual([])
})

browserTest('signing out asks first while text is not saved on the server', async () => {
  const page = await openPage({ url: bellhop.url, agent: await signInAgent(bellhop, acme.orgId) })
  const faults = faultsOf(page)
  await interceptRequests(page, '**/draft', (route) => route.abort())
  await writeReply(page, 'Nobody has this yet.')
  await signOut(page)
  const dialog = page.getByRole('dialog', { name: "Some text isn't saved yet" })
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  expect((await page.request.get('/console/session')).status()).toBe(200)
  await signOut(page)
  await dialog.getByRole('button', { name: 'Sign out anyway' }).click()
  await page.waitForURL('**/sign-in')
  expect(await drafts(page)).toEqual([expect.stringContaining('Nobody has this yet.')])
  faults.length = 0
})

async function writeReply(page: Page, text: string): Promise<void> {
  const body = { subject: 'Refund', message: 'Where is it?', customer: { email: 'ana@example.com' } }
  const { json } = await acme.call('POST', '/tickets', { body })
  await page.goto(`/inbox/open/${json.id}`)
  await page.getByRole('textbox', { name: /reply/i }).fill(text)
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

function drafts(page: Page): Promise<string[]> {
  return page.evaluate(
    `Object.entries(localStorage).filter(([key]) => key.startsWith('bellhop.draft.')).map(([, text]) => text)`,
  )
}
