import { beforeAll, expect } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { type Bellhop, sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'
import { newMailbox } from '../support/mailboxes.ts'
import { storeBot } from '../support/stored-bot.ts'

let bellhop: Bellhop
let admin: SignedInAgent

beforeAll(async () => {
  bellhop = await sharedBellhop()
  const { orgId } = await bellhop.organization('Acme')
  admin = await signInAgent(bellhop, orgId, { role: 'admin' })
})

browserTest('an unknown path shows that the page was not found', async () => {
  const page = await openPage({ url: bellhop.url, agent: admin })
  for (const path of ['nothing', 'keys/some', 'agents/a/b']) {
    await page.goto(`/settings/${path}`)
    await page.getByText("This settings page doesn't exist").waitFor()
  }
  for (const path of ['endpoints/whe_nothing', 'deliveries/dlv_nothing', 'saved-replies/50%']) {
    await page.goto(`/settings/${path}`)
    await page.getByText('Page not found').waitFor()
  }
})

browserTest('a failed request shows why, and can be retried', async () => {
  const page = await openPage({ url: bellhop.url, agent: admin })
  const refuse = { status: 400, json: { code: 'broken', detail: 'It does not work today.' } }
  // With a live connection, the page reads it again without a click.
  await interceptRequests(page, '**/console/live?*', (route) => route.abort())
  await interceptRequests(page, '**/console/keys', (route) => route.fulfill(refuse))
  await page.goto('/settings/keys')
  await page.getByText("Couldn't load API keys").waitFor()
  await page.getByText('It does not work today.').waitFor()
  await page.unroute('**/console/keys')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('list', { name: 'Keys', exact: true }).waitFor()
})

browserTest(
  'the setup steps link to their pages, are checked off, and leave the menu when done',
  async () => {
    const fresh = await signInAgent(bellhop, (await bellhop.organization('Fresh')).orgId, { role: 'admin' })
    const page = await openPage({ url: bellhop.url, agent: fresh })
    await page.goto('/settings')
    await page.getByText('1 of 6 done').waitFor()
    await page.getByRole('link', { name: /Invite an agent/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    await page.getByRole('button', { name: 'Invite agent' }).click()
    await page.getByLabel('Name').fill('Cy')
    await page.getByLabel('Email').fill('cy@fresh.example')
    await page.getByRole('button', { name: 'Create link' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: 'Getting started' }).click()
    await page.getByText('2 of 6 done').waitFor()

    expect((await fresh.call('POST', '/console/mailboxes', { body: newMailbox() })).status).toBe(201)
    const shop = { name: 'Shop', origins: ['https://shop.example'] }
    expect((await fresh.call('POST', '/console/widgets', { body: shop })).status).toBe(201)
    await storeBot(bellhop, fresh.orgId)
    const endpoint = { url: 'https://hooks.example.com', events: ['ticket.created'] }
    expect((await fresh.call('POST', '/console/endpoints', { body: endpoint })).status).toBe(201)
    await page.goto('/settings')
    await page.getByRole('heading', { level: 1, name: 'Organization' }).waitFor()
    expect(await page.getByRole('link', { name: 'Getting started' }).count()).toBe(0)
  },
)
