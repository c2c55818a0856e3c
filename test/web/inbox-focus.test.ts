import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'
import { goToList, makeOrganization, makeTickets, openList, rowOf, waitForFocus } from '../support/inbox.ts'

const bellhop = await sharedBellhop()

browserTest('switching lists by key focuses the first row', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Ways')
  const [resolved] = await makeTickets(client, ['Done', 'Waiting'])
  await agent.call('PATCH', `/v1/tickets/${resolved?.id}`, { body: { status: 'resolved' } })
  await using window = await openWindow({ ...bellhop, agent })
  const { page } = window
  await openList(page, '/inbox/open')
  await rowOf(page, 'Waiting').click()
  await page.waitForURL('**/inbox/open/tkt_*')
  await goToList(page, 'r')
  await waitForFocus(page, 'Done')
  await goToList(page, 'u')
  await waitForFocus(page, 'Waiting')
  await goToList(page, 'p')
  await page.getByText('No pending tickets').waitFor()
  await page.locator('h1:focus', { hasText: 'Pending' }).waitFor()
})

browserTest('renaming or deleting a view returns the focus to the list', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Views')
  await makeTickets(client, ['Printer'], { tags: ['vip'] })
  const body = { name: 'Important', query: 'tag:vip', isShared: false }
  await agent.call('POST', '/console/views', { body })
  await using window = await openWindow({ ...bellhop, agent })
  const { page } = window
  await openList(page, '/inbox/open')

  await choose(page, 'Important', 'Rename…')
  await page.getByRole('textbox', { name: 'Name' }).fill('Urgent')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Urgent' }).waitFor()
  await waitForFocus(page, 'Printer')

  await choose(page, 'Urgent', 'Rename…')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('[role="option"]:focus, button:focus').waitFor()

  await choose(page, 'Urgent', 'Delete')
  await page.getByRole('link', { name: 'Urgent' }).waitFor({ state: 'detached' })
  await waitForFocus(page, 'Printer')
  expect(await page.locator('[role="option"]:focus').count()).toBe(1)
})

async function choose(page: Page, view: string, item: string): Promise<void> {
  await page.getByRole('link', { name: view }).hover()
  await page.getByRole('button', { name: `Options for “${view}”` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
