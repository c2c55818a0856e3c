import { afterAll, beforeAll, expect } from 'bun:test'
import type { Page, Request } from 'playwright-core'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'
import { eventually } from '../support/webhooks.ts'

const TABS = 8
let bellhop: Bellhop
let acme: Client
let ana: SignedInAgent

beforeAll(async () => {
  bellhop = await startBellhop()
  acme = await bellhop.organization()
  ana = await signInAgent(bellhop, acme.orgId, { name: 'Ana Pires', role: 'admin' })
})
afterAll(() => bellhop.stop())

interface Tab {
  page: Page
  /** Requests for this path so far. */
  asked(path: string): number
}

/** Opens the inbox in another tab of the same browser. */
async function openTab(page: Page): Promise<Tab> {
  const seen: string[] = []
  page.on('request', (request: Request) => seen.push(new URL(request.url()).pathname))
  await page.goto('/inbox')
  return { page, asked: (path) => seen.filter((one) => one === path).length }
}

async function ticket(): Promise<string> {
  const body = { subject: 'Missing invoice', message: 'Where?', customer: { email: 'ana@example.com' } }
  return (await acme.call<{ id: string }>('POST', '/tickets', { body })).json.id
}

browserTest(
  'eight tabs share one stream, all hear of a change, and another tab takes over when the first is closed',
  async () => {
    await using window = await openWindow({ url: bellhop.url, agent: ana })
    const tabs = [await openTab(window.page)]
    while (tabs.length < TABS) tabs.push(await openTab(await window.context.newPage()))
    // Each says where it is as soon as it hears that there is a connection.
    const streams = () => tabs.reduce((sum, tab) => sum + tab.asked('/console/live'), 0)
    await eventually(() => tabs.every((tab) => tab.asked('/console/presence') > 0))
    expect(streams()).toBe(1)
    const before = tabs.map((tab) => tab.asked('/console/counts'))
    await ticket()
    await eventually(() => tabs.every((tab, place) => tab.asked('/console/counts') > (before[place] ?? 0)))
    const [leader, ...others] = tabs
    await leader?.page.close()
    await eventually(() => others.reduce((sum, tab) => sum + tab.asked('/console/live'), 0) === 1)
  },
)
