import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'
import { makeOrganization, makeTickets, openList, rowOf } from '../support/inbox.ts'

const bellhop = await sharedBellhop()

async function openTwo(height = 900) {
  const { client, agent } = await makeOrganization(bellhop, 'Toasts')
  await makeTickets(client, ['First', 'Second'])
  const page = await openPage({ ...bellhop, agent, width: 1200, height })
  await page.clock.install()
  await openList(page, '/inbox/open')
  // A connection that comes back ends errors, too.
  await page.waitForSelector('html[data-connection=online]')
  await rowOf(page, 'First').click()
  await page.getByRole('article', { name: 'Ticket' }).getByRole('button', { name: 'Open' }).waitFor()
  return page
}

async function failToChange(page: Page): Promise<void> {
  await interceptRequests(page, '**/console/bulk', (route) => route.fulfill({ status: 400, body: '{}' }))
  await page.keyboard.press('p')
  await page.getByRole('alert').getByText("Couldn't").waitFor()
}

browserTest('a toast lies under a dialog, and is still to be seen when it closes', async () => {
  const page = await openTwo(520)
  await failToChange(page)
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
  // From here on, only the test moves the time.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000))
  const isOver = () =>
    page.evaluate(() => {
      const box = document.querySelector('.toaster-toast')?.getBoundingClientRect()
      const at = box && document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2)
      return at?.closest('.dialog') !== null
    })
  expect(await isOver()).toBe(true)
  await page.clock.runFor(20_000)
  await page.keyboard.press('Escape')
  await page.clock.runFor(500)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.getByRole('alert').filter({ hasText: "Couldn't" }).isVisible()).toBe(true)
  await page.clock.runFor(8_000)
  expect(await page.getByRole('alert').filter({ hasText: "Couldn't" }).count()).toBe(0)
})
