import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { makeTickets, openList, rowOf } from '../support/inbox.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

browserTest(
  "a customer's message shows a desktop notification while the page is hidden, once turned on",
  async () => {
    const client = await bellhop.organization('Notified')
    const agent = await signInAgent(bellhop, client.orgId)
    await makeTickets(client, ['Known before'])
    const page = await openPage({ isFirstVisit: true, ...bellhop, agent })
    const context = page.context()
    await context.grantPermissions(['notifications'])
    // The browser of the tests shows none, so the page writes down what it would show.
    await page.addInitScript({ content: RECORDER })
    await openList(page, '/inbox/open')
    await hide(page, true)
    const [ticket] = await makeTickets(client, ['Not asked for'])
    await hide(page, false)
    await rowOf(page, 'Not asked for').waitFor()
    // It would be new for up to a second more: so exactly the page knows the time of the server.
    const body = { status: 'resolved' }
    expect((await client.call('PATCH', `/tickets/${ticket?.id}`, { body })).status).toBe(200)

    await page.getByRole('button', { name: /Your account/ }).click()
    await page.getByRole('menuitem', { name: 'Desktop notifications' }).click()
    await page.waitForFunction(() => localStorage.getItem('bellhop.notifications') === 'true')
    await hide(page, true)
    await makeTickets(client, ['Printer on fire'])
    await eventually(async () => (await shown(page)).length > 0)
    expect(await shown(page)).toEqual(['Ana Pires: Printer on fire'])
  },
)

const RECORDER = `
  window.shown = [];
  window.Notification = class {
    static permission = 'granted';
    static requestPermission = async () => 'granted';
    constructor(title, { body }) { window.shown.push(title + ': ' + body.split('\\n')[0]) }
    close() {}
  };
  let isHidden = false;
  Object.defineProperty(document, 'hidden', { get: () => isHidden });
  window.hide = (hidden) => { isHidden = hidden; document.dispatchEvent(new Event('visibilitychange')) };`

function hide(page: Page, isHidden: boolean): Promise<void> {
  return page.evaluate(`hide(${isHidden})`)
}

function shown(page: Page): Promise<string[]> {
  return page.evaluate('shown')
}
