import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'
import { makeOrganization, openList } from '../support/inbox.ts'
import { makeManyTickets } from '../support/many-tickets.ts'
import { listTickets } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

// More tickets than one request changes: 500.
const ALL = 560
const bellhop = await sharedBellhop()

browserTest('when only part of a bulk change succeeds, that part is reported, shown and undone', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Many')
  await makeManyTickets(bellhop.deps, client.orgId, ALL)
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  await selectAll(page)
  const changeable = new Set<string>()
  await interceptRequests(page, '**/console/bulk', async (route) => {
    const { items } = route.request().postDataJSON()
    const ids: string[] = items.map(({ id }: { id: string }) => id)
    // The first part. The server may stop in the middle of it, and then gets what is left of it again.
    if (ids.length > 100) for (const id of ids) changeable.add(id)
    if (ids.every((id) => changeable.has(id))) return route.continue()
    const problem = { code: 'not_now', detail: 'The workspace is being moved.' }
    await route.fulfill({
      status: 409,
      contentType: 'application/problem+json',
      body: JSON.stringify(problem),
    })
  })
  await page.keyboard.press('p')
  const alert = page.getByRole('alert').filter({
    hasText: "Set to pending: 500 of 560 tickets. The rest didn't change. The workspace is being moved.",
  })
  await alert.waitFor()
  expect(await page.locator('.toaster-toast').count()).toBe(1)
  // Those that are left can be tried again.
  await page.getByRole('toolbar', { name: 'Selected tickets' }).getByText('60 selected').waitFor()
  const total = async (status: string) => (await listTickets(client, `?status=${status}`)).meta.total
  expect([await total('pending'), await total('open')]).toEqual([500, 60])
  await page.getByRole('link', { name: 'All open 60' }).waitFor()
  // Only the 60 that were not changed stay in the list.
  await page.locator('[role=option][aria-setsize="60"]').first().waitFor()
  await scrollToEnd(page)
  await rowAt(page, 60).filter({ hasNotText: 'Moved to' }).waitFor()

  await alert.getByRole('button', { name: 'Undo' }).click()
  await alert.waitFor({ state: 'detached' })
  await eventually(async () => (await total('open')) === ALL)
})

/** Pages are read as the end is reached. */
async function selectAll(page: Page): Promise<void> {
  await eventually(async () => {
    await scrollToEnd(page)
    return rowAt(page, ALL).isVisible()
  })
  await page.getByRole('option').last().focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.getByText(`${ALL} selected`).waitFor()
}

function rowAt(page: Page, place: number) {
  return page.locator(`[role=option][aria-posinset="${place}"]`)
}

function scrollToEnd(page: Page): Promise<void> {
  return page.locator('.virtual-list').evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
}
