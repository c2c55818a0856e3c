import { expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'
import {
  makeOrganization,
  makeTickets,
  openList,
  rowOf,
  subjectsOf,
  waitForStatus,
} from '../support/inbox.ts'
import { indexed } from '../support/search.ts'
import { storeTicket } from '../support/stored-ticket.ts'
import { eventually } from '../support/webhooks.ts'

const MINUTE_MS = 60_000

const bellhop = await sharedBellhop()

browserTest('the matching text of a search is visible in its row, even with long tags', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Hits')
  const text = `${'We have written before about this order. '.repeat(8)}Now the samovar leaks.`
  const tags = ['international-delivery', 'very-long-category']
  const [ticket] = await makeTickets(client, ['A question'], { tags, message: text })
  await agent.call('PATCH', `/v1/tickets/${ticket?.id}`, { body: { assignedTo: agent.id } })
  await indexed(bellhop)
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/search?q=samovar')
  const mark = page.locator('.ticket-row-foot mark')
  await mark.waitFor()
  expect(await mark.textContent()).toBe('samovar')
  const [hit, line] = [
    await mark.boundingBox(),
    await page.locator('.ticket-row-foot .ticket-row-cut').boundingBox(),
  ]
  expect(right(hit)).toBeLessThanOrEqual(right(line))
})

browserTest('a row that others removed from the list says why', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Others')
  const admin = await signInAgent(bellhop, client.orgId, { role: 'admin' })
  const [deleted, moved] = await makeTickets(client, ['Deleted', 'Moved', 'Kept'])
  const page = await openPage({ ...bellhop, agent })
  const context = page.context()
  await openList(page, '/inbox/unassigned')
  await agent.call('PATCH', `/v1/tickets/${moved?.id}`, { body: { assignedTo: admin.id } })
  await rowOf(page, 'Moved').filter({ hasText: 'Assigned to' }).waitFor()
  await admin.call('DELETE', `/console/tickets/${deleted?.id}`)
  await page.locator('.ticket-row-departure', { hasText: 'Deleted' }).waitFor()

  await page.goto(`/inbox/unassigned/${deleted?.id}`)
  await rowOf(page, 'Kept').waitFor()
  const notFound = page.locator('.inbox-page-ticket .empty-state').getByText('Ticket not found')
  await notFound.waitFor()
  // The page reads the ticket again, and doesn't forget meanwhile that there is none.
  const reads = `**/console/tickets/${deleted?.id}`
  const isReadAgain = Promise.withResolvers<void>()
  const letGo = Promise.withResolvers<void>()
  await interceptRequests(page, reads, async (route) => {
    isReadAgain.resolve()
    await letGo.promise
    await route.continue()
  })
  await context.setOffline(true)
  await context.setOffline(false)
  await isReadAgain.promise
  for (const key of ['e', 't']) await page.keyboard.press(key)
  await page.waitForTimeout(200)
  expect(await page.locator('.toaster-toast, [role="dialog"]').allTextContents()).toEqual([])
  expect(await notFound.count()).toBe(1)
  letGo.resolve()

  await indexed(bellhop)
  await openList(page, '/inbox/search?q=Moved')
  await page.keyboard.press('j')
  await page.keyboard.press('e')
  await rowOf(page, 'Moved').locator('.ticket-row-word', { hasText: 'Resolved' }).waitFor()
})

browserTest('a ticket read after it left the list is no longer unread', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Reading')
  const [, ticket] = await makeTickets(client, ['Other', 'Printer'])
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  await rowOf(page, 'Printer').filter({ hasText: 'Unread.' }).click()
  await page.getByRole('article', { name: 'Ticket' }).getByRole('button', { name: 'Open' }).waitFor()
  await page.keyboard.press('e')
  await rowOf(page, 'Printer').filter({ hasText: 'Moved to Resolved' }).waitFor()
  await waitForStatus(agent, String(ticket?.id), 'resolved')
  await rowOf(page, 'Printer').filter({ hasNotText: 'Unread.' }).waitFor()
  expect(await page.locator('[data-left][data-unread]').count()).toBe(0)
})

browserTest('rows show their last message, in three orders that each view and the address keep', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Orders')
  const now = Date.now()
  const store = (minutes: number) =>
    storeTicket(bellhop.deps, client.orgId, {
      status: 'open',
      channel: 'api',
      assignedTo: '',
      tags: [],
      createdAt: now - minutes * MINUTE_MS,
      updatedAt: now,
    })
  const [old, middle, recent] = [await store(150), await store(90), await store(5)]
  await agent.call('PATCH', `/v1/tickets/${middle}`, { body: { tags: ['late'] } })
  await client.call('POST', `/tickets/${old}/messages`, { body: { text: 'On it.' } })
  const page = await openPage({ ...bellhop, agent })
  await openList(page, '/inbox/open')
  expect(await subjectsOf(page)).toEqual([old, recent, middle])
  const foot = (subject: string) => rowOf(page, subject).locator('.ticket-row-waiting')
  expect(await foot(middle).textContent()).toBe('waiting 1 h')
  expect(await foot(middle).getAttribute('data-long')).not.toBeNull()
  expect(await foot(recent).textContent()).toBe('waiting 5 min')
  expect(await foot(recent).getAttribute('data-long')).toBeNull()
  expect(await foot(old).count()).toBe(0)
  const title = await rowOf(page, middle).locator('time').first().getAttribute('title')
  expect(title).toMatch(/^Last message: .+\nCreated: .+\nChanged: .+$/)
  await page.getByRole('button', { name: 'Sort' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Waiting longest' }).click()
  await eventually(async () => (await subjectsOf(page)).join() === [middle, recent, old].join())
  expect(page.url()).toEndWith('/inbox/open?sort=waiting')
  await page.keyboard.press('g')
  await page.keyboard.press('u')
  await page.getByRole('button', { name: 'Sort: Latest message' }).waitFor()
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.waitForURL('**/inbox/open?sort=waiting')
  await rowOf(page, recent).click()
  await page.waitForURL(`**/inbox/open/${recent}?sort=waiting`)
  await page.getByRole('button', { name: 'Sort' }).click()
  await page.getByRole('menuitemcheckbox', { name: 'Newest' }).click()
  await page.waitForURL(`**/inbox/open/${recent}?sort=created_desc`)
  await eventually(async () => (await subjectsOf(page)).join() === [recent, middle, old].join())
})

browserTest('a tap opens a row, and a long press selects it', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Fingers')
  await makeTickets(client, ['First', 'Second'])
  const page = await openPage({ ...bellhop, agent, width: 390, height: 844, isTouch: true })
  const context = page.context()
  await openList(page, '/inbox/open')
  const finger = await context.newCDPSession(page)
  const box = await rowOf(page, 'Second').boundingBox()
  const touchPoints = [{ x: 60, y: (box?.y ?? 0) + 30 }]
  await finger.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints })
  await page.getByText('1 selected').waitFor()
  await finger.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] })
  await rowOf(page, 'First').tap()
  await page.getByText('2 selected').waitFor()
  expect(page.url()).toEndWith('/inbox/open')
  await page.getByRole('button', { name: 'Clear selection' }).tap()
  await rowOf(page, 'First').tap({ position: { x: 6, y: 30 } })
  await page.waitForURL('**/inbox/open/tkt_*')
})

function right(box: { x: number; width: number } | null): number {
  if (!box) throw new Error('It is not on the page.')
  return box.x + box.width
}

browserTest('a long wait can be read in its row at night, also where the cursor is', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Night')
  const createdAt = Date.now() - 90 * MINUTE_MS
  const store = () =>
    storeTicket(bellhop.deps, client.orgId, {
      status: 'open',
      channel: 'api',
      assignedTo: '',
      tags: ['late'],
      createdAt,
      updatedAt: createdAt,
    })
  const [first, second] = [await store(), await store()]
  for (const width of [390, 1440]) {
    const page = await openPage({ ...bellhop, agent, width, theme: 'dark' })
    await openList(page, '/inbox/open')
    for (const subject of [first, second]) {
      await rowOf(page, subject).locator('.ticket-row-waiting[data-long]').waitFor()
    }
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
    await page.keyboard.press('j')
    await page.locator('.ticket-row[data-cursor] .ticket-row-waiting[data-long]').waitFor()
    await rowOf(page, second).hover()
    expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  }
})
