import { expect } from 'bun:test'
import { accessibilityFaultsInBothThemes } from '../support/axe.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'
import { makeOrganization, makeTickets, openList, rowOf, waitForFocus } from '../support/inbox.ts'

const bellhop = await sharedBellhop()

browserTest('panes are resized by keys and pointer, hidden, and kept', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Wide')
  await makeTickets(client, ['Printer'])
  await using window = await openWindow({ ...bellhop, agent })
  const { page } = window
  await openList(page, '/inbox/open')
  const edge = page.getByRole('separator', { name: 'List width' })
  const width = async () => (await page.locator('.inbox-page-list').boundingBox())?.width
  expect(await width()).toBe(360)
  await edge.focus()
  await page.keyboard.press('ArrowRight')
  expect(await width()).toBe(376)
  const box = await edge.boundingBox()
  await page.mouse.move(box?.x ?? 0, 300)
  await page.mouse.down()
  await page.mouse.move((box?.x ?? 0) + 54, 300)
  await page.mouse.up()
  expect(await width()).toBe(430)

  await page.keyboard.press('[')
  await page.getByRole('navigation').waitFor({ state: 'detached' })
  await rowOf(page, 'Printer').click()
  await page.getByRole('complementary', { name: 'Customer' }).waitFor()
  await page.keyboard.press(']')
  await page.getByRole('complementary', { name: 'Customer' }).waitFor({ state: 'detached' })
  await page.reload()
  await rowOf(page, 'Printer').waitFor()
  expect(await width()).toBe(430)
  expect(await page.getByRole('navigation').count()).toBe(0)
  expect(await page.getByRole('complementary').count()).toBe(0)
  await page.keyboard.press('z')
  await page.getByRole('navigation').waitFor()
  await page.getByRole('complementary', { name: 'Customer' }).waitFor()
})

browserTest('on narrower screens the customer panel, then the rail, become drawers', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Narrow')
  await makeTickets(client, ['Printer'])
  await using window = await openWindow({ ...bellhop, agent, width: 1000, height: 800 })
  const { page } = window
  await openList(page, '/inbox/open')
  await rowOf(page, 'Printer').click()
  await page.getByRole('article', { name: 'Ticket' }).waitFor()
  expect(await page.getByRole('complementary').count()).toBe(0)
  await page.keyboard.press(']')
  await page.getByRole('dialog', { name: 'Customer' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.setViewportSize({ width: 800, height: 700 })
  await page.getByRole('navigation').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Menu' }).click()
  await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name: 'Pending' }).click()
  await page.waitForURL('**/inbox/pending')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

browserTest('a phone shows one pane, a back button and targets large enough for a thumb', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Phone')
  await makeTickets(client, ['Printer'])
  await using window = await openWindow({ ...bellhop, agent, width: 390, height: 844 })
  const { page } = window
  await openList(page, '/inbox/open')
  expect((await rowOf(page, 'Printer').boundingBox())?.width).toBe(390)
  await rowOf(page, 'Printer').click()
  await page.getByRole('article', { name: 'Ticket' }).waitFor()
  expect((await page.getByRole('article', { name: 'Ticket' }).boundingBox())?.width).toBe(390)
  await page.getByRole('button', { name: /^Back/ }).click()
  await page.waitForURL('**/inbox/open')
  await waitForFocus(page, 'Printer')
  await page.getByRole('button', { name: 'Menu' }).click()
  const link = page.getByRole('dialog').getByRole('link', { name: 'Pending' })
  expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(overflow).toBe(390)
})

browserTest('axe finds nothing in the inbox, light or dark', async () => {
  const { client, agent } = await makeOrganization(bellhop, 'Access')
  const tickets = await makeTickets(client, ['First', 'Second', 'Third'], {
    tags: ['vip', 'billing', 'late'],
  })
  await agent.call('PATCH', `/v1/tickets/${tickets[0]?.id}`, { body: { assignedTo: agent.id } })
  await using window = await openWindow({ ...bellhop, agent })
  const { page } = window
  await openList(page, '/inbox/open')
  await rowOf(page, 'Second').focus()
  await page.keyboard.press('x')
  await page.keyboard.press('k')
  await page.keyboard.press('e')
  await page.getByText('Moved to Resolved').waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.keyboard.press('ControlOrMeta+k')
  await page.getByRole('dialog').waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Shift+?')
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('/')
  await page.keyboard.type('fir')
  await page.locator('mark').first().waitFor()
  expect(await accessibilityFaultsInBothThemes(page)).toEqual([])
})
