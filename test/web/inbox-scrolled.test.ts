import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { makeOrganization, openList } from '../support/inbox.ts'
import { makeManyTickets } from '../support/many-tickets.ts'
import { listTickets } from '../support/tickets.ts'
import { eventually } from '../support/webhooks.ts'

const ALL = 120
const ROW_PX = 68
const bellhop = await sharedBellhop()

browserTest('a key never changes a row out of view, and the toast names what changed', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Changing')
  await makeManyTickets(bellhop.deps, client.orgId, ALL)
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  await page.keyboard.press('j')
  await waitForPlace(page, 2)
  for (const key of ['p', 'x', 'a', 'o', 'Enter']) {
    await scrollTo(page, 60)
    await page.keyboard.press(key)
    await eventually(async () => (await topOf(page)) === ROW_PX)
    expect(await focusedPlace(page)).toBe(2)
  }
  expect(page.url()).toEndWith('/inbox/open')
  expect(await page.locator('.toaster-toast, .bulk-bar, [role="dialog"]').count()).toBe(0)
  expect((await listTickets(client, '?status=open')).meta.total).toBe(ALL)

  await page.keyboard.press('p')
  await page.getByLabel('Notifications').getByText('Set to pending: Ana Pires', { exact: true }).waitFor()
  await eventually(async () => (await listTickets(client, '?status=pending')).meta.total === 1)
})

/** Scrolls until the row after `place` others is the first in sight, and has been drawn: pages come as they are needed. */
async function scrollTo(page: Page, place: number): Promise<void> {
  const scroller = page.locator('.virtual-list')
  await eventually(async () => {
    await scroller.evaluate((element, top) => element.scrollTo({ top }), place * ROW_PX)
    return (await topOf(page)) === place * ROW_PX && (await rowAt(page, place + 1).count()) === 1
  })
}

function topOf(page: Page): Promise<number> {
  return page.locator('.virtual-list').evaluate(({ scrollTop }) => scrollTop)
}

function rowAt(page: Page, place: number) {
  return page.locator(`[role=option][aria-posinset="${place}"]`)
}

async function waitForPlace(page: Page, place: number): Promise<void> {
  await page.locator(`[role=option][aria-posinset="${place}"]:focus`).waitFor()
}

function focusedPlace(page: Page): Promise<number> {
  return page.evaluate(() => Number(document.activeElement?.getAttribute('aria-posinset')))
}
