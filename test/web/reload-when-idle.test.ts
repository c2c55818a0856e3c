import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { readDraft } from '../support/threads.ts'
import { field, openWorkspace, textIn } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

/** The longest time without input until a page asks for a newer one. */
const IDLE_MS = 600_000

const bellhop = await sharedBellhop()

browserTest('a page that nobody uses is loaded again after an upgrade, and one in use is not', async () => {
  const { ben, ticket } = await openWorkspace(bellhop)
  const page = await openPage({ url: bellhop.url, agent: ben, isFirstVisit: true })
  let isUpgraded = false
  await page.route('/', async (route) => {
    const answer = await route.fetch()
    const html = await answer.text()
    const body = isUpgraded ? html.replace('/assets/index-', '/assets/index-next-') : html
    await route.fulfill({ response: answer, body })
  })
  await page.clock.install()
  await page.goto(`/inbox/open/${ticket.id}`)
  await page.waitForSelector('html[data-connection=online]')
  await page.keyboard.press('n')
  await page.keyboard.type('Ask Dana.')
  await eventually(async () => (await readDraft(ben, ticket.id, 'note')) === 'Ask Dana.')
  await page.keyboard.press('Escape')
  await page.evaluate(() => Object.assign(window, { isFirst: true }))

  await waitIdle(page)
  expect(await isFirst(page)).toBe(true)
  isUpgraded = true
  // The page connects again to the server, which is a newer one.
  await page.evaluate(() => dispatchEvent(new Event('offline')))
  await page.waitForSelector('html[data-connection=online]')
  await field(page).focus()
  await waitIdle(page)
  expect(await isFirst(page)).toBe(true)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').waitFor()
  await waitIdle(page)
  expect(await isFirst(page)).toBe(true)
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  const reloaded = page.waitForEvent('load')
  await page.clock.fastForward(IDLE_MS)
  await reloaded
  await field(page).waitFor()
  expect([await isFirst(page), await textIn(page)]).toEqual([false, 'Ask Dana.'])
})

/** Until the page has looked whether there is a newer one. */
async function waitIdle(page: Page): Promise<void> {
  const asked = page.waitForResponse((response) => new URL(response.url()).pathname === '/')
  await page.clock.fastForward(IDLE_MS)
  await (await asked).finished()
}

function isFirst(page: Page): Promise<boolean> {
  return page.evaluate(() => 'isFirst' in window)
}
