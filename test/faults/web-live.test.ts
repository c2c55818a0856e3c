import { expect } from 'bun:test'
import type { Page, Request } from 'playwright-core'
import { disableAgent } from '../../server/agents/disable-agent.ts'
import { signInAgent } from '../support/agents.ts'
import { sharedBellhop, startBellhop } from '../support/bellhop.ts'
import { browserTest, faultsOf, openPage } from '../support/browser.ts'
import { freshPlace } from '../support/engine.ts'
import { reservePort } from '../support/mail/ports.ts'
import { eventually } from '../support/webhooks.ts'

const TABS = 8
const bellhop = await sharedBellhop()
const acme = await bellhop.organization()
const ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Pires', role: 'admin' })

interface Tab {
  page: Page
  /** Requests for this path so far. */
  asked(path: string): number
  /** Streams that are open now. */
  streams(): number
}

/** Opens the inbox in another tab of the same browser. */
async function openTab(page: Page): Promise<Tab> {
  const seen: string[] = []
  const open = new Set<Request>()
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    seen.push(pathname)
    if (pathname === '/console/live') open.add(request)
  })
  page.on('requestfailed', (request) => open.delete(request))
  page.on('requestfinished', (request) => open.delete(request))
  await page.goto('/inbox')
  return { page, asked: (path) => seen.filter((one) => one === path).length, streams: () => open.size }
}

/** A new ticket of the organization. */
function ticket(): Promise<unknown> {
  const body = { subject: 'Missing invoice', message: 'Where?', customer: { email: 'ana@example.com' } }
  return acme.call('POST', '/tickets', { body })
}

browserTest(
  'eight tabs share one stream, all hear of a new ticket, and another tab takes over when the first is closed',
  async () => {
    const page = await openPage({ url: bellhop.url, agent: ana })
    const first = await openTab(page)
    const more = Array.from({ length: TABS - 1 }, async () => openTab(await page.context().newPage()))
    const tabs = [first, ...(await Promise.all(more))]
    const streamsOf = (some: Tab[]) => some.reduce((sum, tab) => sum + tab.streams(), 0)
    for (const { page } of tabs) await page.waitForSelector('html[data-connection=online]')
    // On a busy machine another tab may take over before: the first one closes its stream then.
    await eventually(() => streamsOf(tabs) === 1)
    const before = tabs.map((tab) => tab.asked('/console/counts'))
    await ticket()
    await eventually(() => tabs.every((tab, place) => tab.asked('/console/counts') > (before[place] ?? 0)))
    const leader = tabs.find((tab) => tab.streams() === 1)
    await leader?.page.close()
    await eventually(() => streamsOf(tabs.filter((tab) => tab !== leader)) === 1)
  },
)

browserTest('a page says that the connection is lost, and reconnects to the next server', async () => {
  const settings = { ...(await freshPlace()), PORT: String(reservePort()) }
  const first = await startBellhop({ settings })
  const { orgId } = await first.organization()
  const ben = await signInAgent(first, orgId)
  const page = await openPage({ url: first.url, agent: ben })
  const faults = faultsOf(page)
  await page.goto('/inbox')
  await page.waitForSelector('html[data-connection=online]')
  await first.stop()
  const banner = page.getByText("You're offline.")
  await banner.waitFor()
  const [line, below] = [await banner.boundingBox(), await page.getByRole('navigation').first().boundingBox()]
  expect(below?.y ?? 0).toBeGreaterThan(line?.y ?? 0)
  const second = await startBellhop({ settings })
  // Unless the page was faster.
  await page
    .getByRole('button', { name: 'Try now' })
    .click({ timeout: 500 })
    .catch(() => {})
  await page.waitForSelector('html[data-connection=online]')
  await page.getByText("You're offline.").waitFor({ state: 'hidden' })
  await second.stop()
  faults.length = 0
})

browserTest(
  'a network that is gone is noticed at once, though an open connection seems to live',
  async () => {
    const page = await openPage({ url: bellhop.url, agent: ana })
    const context = page.context()
    const faults = faultsOf(page)
    await page.goto('/inbox')
    await page.waitForSelector('html[data-connection=online]')
    await context.setOffline(true)
    await page.getByText("You're offline.").waitFor()
    await context.setOffline(false)
    await page.waitForSelector('html[data-connection=online]')
    await page.getByText("You're offline.").waitFor({ state: 'hidden' })
    faults.length = 0
  },
)

browserTest('an agent who is signed out elsewhere is asked to sign in again, over the page', async () => {
  const cleo = await signInAgent(bellhop, acme.orgId, { name: 'Cleo' })
  const page = await openPage({ url: bellhop.url, agent: cleo })
  await page.goto('/inbox')
  await page.waitForSelector('html[data-connection=online]')
  await disableAgent(bellhop.deps, acme.orgId, cleo.id)
  await page.getByRole('dialog').waitFor()
  // Longer than a lost connection waits until it is said.
  await page.waitForTimeout(2_500)
  expect(await page.getByText("You're offline.").count()).toBe(0)
})

browserTest(
  'a page on plain http, where tabs cannot agree on one stream, has its own while it is looked at',
  async () => {
    const page = await openPage({ url: bellhop.url, agent: ana })
    await page.addInitScript('delete Navigator.prototype.locks')
    const tab = await openTab(page)
    await tab.page.waitForSelector('html[data-connection=online]')
    const before = tab.asked('/console/counts')
    await ticket()
    await eventually(() => tab.asked('/console/counts') > before)
  },
)
