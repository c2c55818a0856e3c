import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'
import {
  makeOrganization,
  makeTickets,
  openList,
  rowOf,
  subjectsOf,
  waitForFocus,
  waitForStatus,
} from '../support/inbox.ts'
import { makeManyTickets } from '../support/many-tickets.ts'
import { eventually } from '../support/webhooks.ts'

/** Several pages of the list, and many times what is in sight. */
const MANY = 600
const ROW_PX = 68
const bellhop = await sharedBellhop()

browserTest('rows are links: a ticket opens here, in another tab, and by its URL', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Links')
  const [, , newest] = await makeTickets(client, ['First', 'Second', 'Third'])
  const page = await openPage({ ...bellhop, agent })
  const context = page.context()
  await openList(page, '/inbox/open')
  expect(await subjectsOf(page)).toEqual(['Third', 'Second', 'First'])

  await rowOf(page, 'Third').click()
  await page.waitForURL(`**/inbox/open/${newest?.id}`)
  await rowOf(page, 'Third').and(page.locator('[aria-current=true]')).waitFor()

  const [tab] = await Promise.all([
    context.waitForEvent('page'),
    rowOf(page, 'Second').click({ modifiers: ['ControlOrMeta'] }),
  ])
  await tab.waitForURL('**/inbox/open/tkt_*')
  await rowOf(tab, 'Second').waitFor()
  expect(page.url()).toContain(String(newest?.id))

  await page.goBack()
  await page.waitForURL('**/inbox/open')
  await page.goForward()
  await page.waitForURL(`**/inbox/open/${newest?.id}`)
})

browserTest('a ticket that leaves the list stays in position, and Undo brings it back', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Still')
  const [, second] = await makeTickets(client, ['First', 'Second', 'Third'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  // Nothing above the pointer is removed later, however long a busy machine takes.
  await rowOf(page, 'First').hover()
  const place = await rowOf(page, 'Second').boundingBox()
  await agent.call('PATCH', `/v1/tickets/${second?.id}`, { body: { status: 'resolved' } })
  await rowOf(page, 'Second').filter({ hasText: 'Moved to Resolved' }).waitFor()
  expect(await page.locator('.virtual-list-undo').count()).toBe(0)
  expect(await rowOf(page, 'Second').boundingBox()).toEqual(place)
  expect(await subjectsOf(page)).toEqual(['Third', 'Second', 'First'])

  await rowOf(page, 'Third').focus()
  await page.keyboard.press('e')
  await rowOf(page, 'Third').filter({ hasText: 'Moved to Resolved' }).waitFor()
  expect(await subjectsOf(page)).toEqual(['Third', 'Second', 'First'])
  await page.locator('.virtual-list-undo').click()
  await rowOf(page, 'Third').filter({ hasNotText: 'Moved to Resolved' }).waitFor()
  await page.getByRole('link', { name: 'All open 2' }).waitFor()

  await page.getByRole('link', { name: 'Pending' }).click()
  await page.getByText('No pending tickets').waitFor()
  await page.getByRole('link', { name: 'All open 2' }).click()
  await rowOf(page, 'Third').waitFor()
  expect(await subjectsOf(page)).toEqual(['Third', 'First'])
})

browserTest('new tickets are held back while the list is scrolled or under the pointer', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Arrivals')
  await makeManyTickets(bellhop.deps, client.orgId, 30)
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  const scroller = page.locator('.virtual-list')
  await scroller.evaluate((element) => element.scrollTo({ top: 340 }))
  await eventually(async () => (await visibleRows(page)).length >= 10)
  const before = await visibleRows(page)
  await makeTickets(client, ['Newer', 'Newest'])
  await page.getByRole('button', { name: '2 new' }).waitFor()
  expect(await visibleRows(page)).toEqual(before)
  expect(await rowOf(page, 'Newest').count()).toBe(0)

  await page.getByRole('button', { name: '2 new' }).click()
  await rowOf(page, 'Newest').waitFor()
  expect((await subjectsOf(page)).slice(0, 2)).toEqual(['Newest', 'Newer'])
  await eventually(() => scroller.evaluate(({ scrollTop }) => scrollTop === 0))

  await page.mouse.move(900, 500)
  await makeTickets(client, ['Quiet'])
  await rowOf(page, 'Quiet').waitFor()
  expect((await subjectsOf(page))[0]).toBe('Quiet')

  await rowOf(page, 'Quiet').hover()
  await makeTickets(client, ['Held'])
  await page.getByRole('button', { name: '1 new' }).waitFor()
  expect((await subjectsOf(page))[0]).toBe('Quiet')
  await page.mouse.move(900, 500)
  await rowOf(page, 'Held').waitFor()
})

browserTest('a long list draws only visible rows, and scrolls to the last one', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Many')
  await makeManyTickets(bellhop.deps, client.orgId, MANY)
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  await page.getByRole('link', { name: `All open ${MANY}` }).waitFor()
  const scroller = page.locator('.virtual-list')
  const rows = page.getByRole('option')
  await eventually(async () => {
    await scroller.evaluate((element) => element.scrollTo({ top: element.scrollHeight }))
    return (await page.locator(`[aria-posinset="${MANY}"]`).count()) === 1
  })
  expect(await rows.first().getAttribute('aria-setsize')).toBe(String(MANY))
  expect(await rows.count()).toBeLessThan(50)
  expect(await scroller.evaluate(({ scrollHeight }) => scrollHeight)).toBe(MANY * ROW_PX)
})

browserTest('an empty list, a failed one and a missing view say what to do', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'States')
  const page = await openPage({ ...bellhop, agent })
  await page.goto('/inbox')
  await page.getByText('All done').waitFor()
  await page.goto('/inbox/viw_00000000000000000000000000')
  await page.getByText('View not found').waitFor()

  await makeTickets(client, ['Printer'])
  // A live connection makes a failed list load again without a click.
  await interceptRequests(page, '**/console/live?*', (route) => route.abort())
  await interceptRequests(page, '**/console/tickets?*', (route) => route.fulfill({ status: 400, body: '{}' }))
  await page.goto('/inbox/open')
  await page.getByText("Couldn't load tickets").waitFor()
  await page.unroute('**/console/tickets?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await rowOf(page, 'Printer').waitFor()
})

browserTest('the title names the open ticket or view, and counts my open tickets', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Title')
  const [ticket] = await makeTickets(client, ['Printer'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  await waitForTitle(page, 'All open – Bellhop')
  await agent.call('PATCH', `/v1/tickets/${ticket?.id}`, { body: { assignedTo: agent.id } })
  await waitForTitle(page, '(1) All open – Bellhop')
  await page.getByRole('link', { name: 'My open 1' }).click()
  await waitForFocus(page, 'Printer')
  await page.keyboard.press('Enter')
  await waitForTitle(page, '(1) Printer – Bellhop')
  await page.keyboard.press('e')
  await waitForStatus(agent, String(ticket?.id), 'resolved')
  await waitForTitle(page, 'Printer – Bellhop')
})

async function waitForTitle(page: Page, title: string): Promise<void> {
  await eventually(async () => (await page.title()) === title)
}

/** What is in sight, and where. */
function visibleRows(page: Page) {
  return page.getByRole('option').evaluateAll((rows) =>
    rows
      .map((row) => ({
        text: row.querySelector('.ticket-row-subject')?.textContent,
        top: row.getBoundingClientRect().top,
      }))
      .filter(({ top }) => top >= 80 && top < 800)
      .toSorted((a, b) => a.top - b.top),
  )
}
