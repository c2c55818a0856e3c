import { expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'
import { makeTickets, openList, rowOf } from '../support/inbox.ts'

const bellhop = await sharedBellhop()

browserTest('an inbox without any tickets leads administrators to the setup', async () => {
  const { orgId } = await bellhop.organization('New')
  const agent = await signInAgent(bellhop, orgId, { role: 'admin' })
  const page = await openPage({ ...bellhop, agent })
  await page.goto('/inbox')
  await page.getByText('Your inbox is ready').waitFor()
  await page.getByRole('button', { name: 'setup' }).click()
  await page.waitForURL('**/settings/start')
})

browserTest('an empty list shows no text until it is known whether there are any tickets', async () => {
  const { orgId } = await bellhop.organization('Newer')
  const agent = await signInAgent(bellhop, orgId, { role: 'admin' })
  const page = await openPage({ ...bellhop, agent })
  const counted = Promise.withResolvers<void>()
  await interceptRequests(page, '**/console/counts?*', async (route) => {
    await counted.promise
    await route.continue()
  })
  await page.goto('/inbox')
  await page.locator('.list-states').waitFor({ state: 'attached' })
  expect(await page.locator('.list-states').textContent()).toBe('')
  counted.resolve()
  await page.getByText('Your inbox is ready').waitFor()
})

browserTest('the rail shows the most used tags, and a picker for all others', async () => {
  const client = await bellhop.organization('Tags')
  const agent = await signInAgent(bellhop, client.orgId)
  for (let letter = 1; letter <= 14; letter++) {
    await makeTickets(client, [`Question ${letter}`], { tags: [`a${letter}`] })
  }
  await makeTickets(client, ['Late', 'Later'], { tags: ['zebra'] })
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  await page.getByRole('link', { name: 'zebra 2' }).waitFor()
  const tags = page.locator('.rail-section', { hasText: 'Tags' }).locator('+ ul a')
  expect(await tags.count()).toBe(12)
  expect(await tags.first().textContent()).toBe('zebra2')

  await page.getByRole('button', { name: 'All tags…' }).click()
  const search = page.getByRole('combobox', { name: 'Find a tag' })
  await search.fill('a9')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/inbox/tag~a9')
  await rowOf(page, 'Question 9').waitFor()
})
