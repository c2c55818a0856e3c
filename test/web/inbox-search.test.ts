import { expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { tickets } from '../../server/database/tables/tickets.ts'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { makeOrganization, makeTickets, openList, rowOf, subjectsOf, waitForFocus } from '../support/inbox.ts'
import { storeTickets } from '../support/many-tickets.ts'
import { eventually } from '../support/webhooks.ts'

/** One search examines 30,000 tickets. */
const MORE_THAN_ONE_SEARCH = 31_000

const bellhop = await sharedBellhop()

browserTest(
  'results appear while typing, with matches highlighted, and Escape returns to the list',
  async () => {
    const { client, agent } = await makeOrganization(bellhop, 'Typing')
    await makeTickets(client, ['Invoice lost', 'Printer'], { message: 'Nothing works.' })
    await makeTickets(client, ['Question'], { message: 'Where is the invoicé of March?' })
    const page = await openPage({ ...bellhop, agent })
    await page.goto('/inbox/pending')
    await page.getByText('No pending tickets').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('invoi')
    await page.waitForURL('**/inbox/search?q=invoi')
    await rowOf(page, 'Question').waitFor()
    expect(await subjectsOf(page)).toEqual(['Question', 'Invoice lost'])
    expect(await page.locator('mark').allTextContents()).toEqual(['invoicé', 'Invoice'])

    await page.keyboard.type('ce lo')
    await rowOf(page, 'Question').waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await waitForFocus(page, 'Invoice lost')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/inbox/search/tkt_*?q=invoice+lo')
    await page.keyboard.press('u')
    await page.keyboard.press('u')
    await page.waitForURL('**/inbox/pending')
    expect(await page.getByRole('combobox', { name: 'Search tickets' }).inputValue()).toBe('')
  },
)

browserTest('filters and their values are suggested, and accepted without a mouse', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Grammar')
  await makeTickets(client, ['Broken'], { tags: ['very urgent'] })
  await makeTickets(client, ['Fine'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  const field = page.getByRole('combobox', { name: 'Search tickets' })
  await page.keyboard.press('/')
  await page.keyboard.type('ta')
  await page.getByRole('option', { name: 'tag:' }).waitFor()
  await page.keyboard.press('Tab')
  expect(await field.inputValue()).toBe('tag:')
  await page.getByRole('option', { name: 'tag:"very urgent"' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  expect(await field.inputValue()).toBe('tag:"very urgent" ')
  await rowOf(page, 'Fine').waitFor({ state: 'detached' })
  await rowOf(page, 'Broken').waitFor()

  for (const typed of ['status:', 'status:pen', 'before:2026-1']) {
    await field.fill(typed)
    await page.locator('.search-field-suggestions [role="option"]').first().waitFor()
    await page.waitForTimeout(300)
    expect(await page.getByText("Can't read that search").count()).toBe(0)
  }
  await field.fill('status:wrong')
  await page.getByText("Can't read that search").waitFor()
  await field.fill('zzzz')
  await page.locator('.empty-state', { hasText: 'No results' }).waitFor()
  expect(await page.locator('.list-states-filters').textContent()).toContain('assigned:')
  await field.fill('')
  await rowOf(page, 'Broken').waitFor()
  await field.fill('!!!')
  await page.locator('.empty-state', { hasText: 'No results' }).waitFor()
})

browserTest('a search is saved as a view, then renamed, shared and deleted', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Views')
  await makeTickets(client, ['Broken'], { tags: ['vip'] })
  const colleague = await signInAgent(bellhop, client.orgId, { name: 'Cy Young' })
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/search?q=tag%3Avip')
  await page.getByRole('button', { name: 'Save as view' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Important')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/inbox/viw_*')
  await page.getByRole('link', { name: 'Important 1' }).waitFor()
  await rowOf(page, 'Broken').waitFor()

  await choose(page, 'Important', 'Rename…')
  await page.getByRole('textbox', { name: 'Name' }).fill('Very important')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Very important' }).waitFor()
  // The focus goes back to the list.
  await waitForFocus(page, 'Broken')
  const seen = async () => {
    const answer = await colleague.call<{ data: { name: string }[] }>('GET', '/console/views')
    return answer.json.data.map(({ name }) => name)
  }
  expect(await seen()).toEqual([])

  await choose(page, 'Very important', 'Share with team')
  await eventually(async () => (await seen()).length > 0)
  expect(await seen()).toEqual(['Very important'])

  await choose(page, 'Very important', 'Delete')
  await page.waitForURL('**/inbox/mine')
  await page.getByText('Deleted “Very important”').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'Very important 1' }).waitFor()

  await choose(page, 'Very important', 'Delete')
  await page.getByText('Deleted “Very important”').waitFor()
  await page.getByRole('link', { name: 'Very important' }).waitFor({ state: 'detached' })
  await page.keyboard.press('ControlOrMeta+z')
  await page.getByRole('link', { name: 'Very important 1' }).waitFor()
})

browserTest(
  'a search of too many tickets says so, shows what it found, and continues when asked',
  async () => {
    const { client, agent } = await makeOrganization(bellhop, 'Broad')
    const [oldest] = await makeTickets(client, ['Oldest'])
    await bellhop.deps.database.write(undefined, async (tx) => {
      await tx
        .update(tickets)
        .set({ lastMessageAt: 1 })
        .where(eq(tickets.id, oldest?.id ?? ''))
    })
    await storeTickets(bellhop.deps, client.orgId, MORE_THAN_ONE_SEARCH)
    const page = await openPage({ ...bellhop, agent })
    await page.goto('/inbox/search?q=is:unread')
    await page.getByText('Nothing in the newest tickets').waitFor()
    await makeTickets(client, ['Newest'])
    await rowOf(page, 'Newest').waitFor()
    const advice = page.getByRole('region', { name: 'Tickets' }).getByText('Use a less common word')
    await advice.waitFor()
    expect(await subjectsOf(page)).toEqual(['Newest'])
    await page.getByRole('button', { name: 'Search older tickets' }).click()
    await rowOf(page, 'Oldest').waitFor()
    expect(await subjectsOf(page)).toEqual(['Newest', 'Oldest'])
    await advice.waitFor({ state: 'detached' })
  },
)

async function choose(page: Page, view: string, item: string): Promise<void> {
  await page.getByRole('link', { name: view }).hover()
  await page.getByRole('button', { name: `Options for “${view}”` }).click()
  await page.getByRole('menu').getByText(item, { exact: true }).click()
}
