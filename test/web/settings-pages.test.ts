import { afterAll, beforeAll, expect } from 'bun:test'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { accessibilityFaults } from '../support/axe.ts'
import { type Bellhop, type Client, startBellhop } from '../support/bellhop.ts'
import { browserTest, openWindow } from '../support/browser.ts'

const PAGES = [
  'account',
  'start',
  'organization',
  'agents',
  'saved-replies',
  'saved-replies/new',
  'tags',
  'audit',
  'widget',
  'email',
  'telegram',
  'keys',
  'endpoints',
  'deliveries',
  'nothing',
]

/** So many pages in one go take longer than one test is given. */
const MANY_PAGES_MS = 120_000

let bellhop: Bellhop
let client: Client
let admin: SignedInAgent
/** Pages of single things. */
let details: string[]

beforeAll(async () => {
  bellhop = await startBellhop()
  client = await bellhop.organization('Acme')
  admin = await signInAgent(bellhop, client.orgId, { role: 'admin' })
  details = await fill()
})
afterAll(() => bellhop.stop())

for (const theme of ['light', 'dark'] as const) {
  browserTest(
    `every page of the settings is for everybody, ${theme}`,
    async () => {
      await using window = await openWindow({ url: bellhop.url, agent: admin, theme })
      const { page } = window
      for (const path of [...PAGES, ...details]) {
        await page.goto(`/settings/${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.getByRole('status', { name: /loading/i }).waitFor({ state: 'detached' })
        expect([path, await accessibilityFaults(page)]).toEqual([path, []])
      }
    },
    MANY_PAGES_MS,
  )
}

browserTest('the commands and the sheet of keys open in the settings too', async () => {
  await using window = await openWindow({ url: bellhop.url, agent: admin })
  const { page } = window
  await page.goto('/settings/account')
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Back to the inbox').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('delivery log')
  await page.getByRole('option', { name: 'Delivery log', exact: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Delivery log' }).waitFor()
})

/** A page, the button that opens the dialog, and its title. */
const DIALOGS = [
  ['keys', 'New key', 'New API key'],
  ['endpoints', 'New endpoint', 'New endpoint'],
  ['agents', 'Invite an agent', 'Invite an agent'],
  ['tags', 'Rename billing', 'Rename “billing”'],
  ['tags', 'Remove billing', 'Remove “billing”?'],
] as const

browserTest(
  'every dialog is for everybody, and gives the focus back to its button',
  async () => {
    for (const theme of ['light', 'dark'] as const) {
      await using window = await openWindow({ url: bellhop.url, agent: admin, theme })
      const { page } = window
      for (const [path, name, title] of DIALOGS) {
        await page.goto(`/settings/${path}`)
        const button = page.getByRole('button', { name })
        await button.focus()
        await page.keyboard.press('Enter')
        await page.getByRole('dialog', { name: title }).waitFor()
        expect([title, await accessibilityFaults(page)]).toEqual([title, []])
        await page.keyboard.press('Escape')
        await page.getByRole('dialog').waitFor({ state: 'detached' })
        await button.waitFor()
        expect([title, await button.evaluate((it) => it === document.activeElement)]).toEqual([title, true])
      }
    }
  },
  MANY_PAGES_MS,
)

browserTest(
  'nothing is wider than a phone, and there is a way back to the list',
  async () => {
    await using window = await openWindow({ url: bellhop.url, agent: admin, width: 390, height: 844 })
    const { page } = window
    for (const path of [...PAGES, ...details]) {
      await page.goto(`/settings/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByRole('status', { name: /loading/i }).waitFor({ state: 'detached' })
      const tooWide = await page.evaluate(() => {
        const main = document.querySelector('main')
        return main ? main.scrollWidth - main.clientWidth : 0
      })
      expect([path, tooWide]).toEqual([path, 0])
    }
    await page.goto('/settings/keys')
    await page.getByRole('link', { name: 'Settings' }).click()
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(0)
    await page.getByRole('link', { name: 'Tags' }).click()
    await page.getByRole('heading', { level: 1, name: 'Tags' }).waitFor()
    expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
  },
  MANY_PAGES_MS,
)

browserTest('an address that leads nowhere says so', async () => {
  await using window = await openWindow({ url: bellhop.url, agent: admin })
  const { page } = window
  for (const path of ['nothing', 'keys/some', 'agents/a/b']) {
    await page.goto(`/settings/${path}`)
    await page.getByText('There is no such page in the settings').waitFor()
  }
  for (const path of ['endpoints/whe_nothing', 'deliveries/dlv_nothing', 'saved-replies/50%']) {
    await page.goto(`/settings/${path}`)
    await page.getByText('There is nothing here').waitFor()
  }
})

browserTest('what cannot be read says why, and is read when it works again', async () => {
  await using window = await openWindow({ url: bellhop.url, agent: admin })
  const { page } = window
  const refuse = { status: 400, json: { code: 'broken', detail: 'It does not work today.' } }
  await page.route('**/console/keys', (route) => route.fulfill(refuse))
  await page.goto('/settings/keys')
  await page.getByText('The API keys could not be read').waitFor()
  await page.getByText('It does not work today.').waitFor()
  await page.unroute('**/console/keys')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('list', { name: 'Keys', exact: true }).waitFor()
})

browserTest('the first steps lead to their pages and tick themselves off', async () => {
  const fresh = await signInAgent(bellhop, (await bellhop.organization('Fresh')).orgId, { role: 'admin' })
  await using window = await openWindow({ url: bellhop.url, agent: fresh })
  const { page } = window
  await page.goto('/settings')
  await page.getByText('1 of 6 done').waitFor()
  await page.getByRole('link', { name: /Invite an agent/ }).click()
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
  await page.getByRole('button', { name: 'Invite an agent' }).click()
  await page.getByLabel('Name').fill('Cy')
  await page.getByLabel('E-mail address').fill('cy@fresh.example')
  await page.getByRole('button', { name: 'Make the link' }).click()
  await page.getByRole('button', { name: 'Done' }).click()
  await page.getByRole('link', { name: 'Start' }).click()
  await page.getByText('2 of 6 done').waitFor()
})

async function fill(): Promise<string[]> {
  const post = <Json>(path: string, body: unknown) => admin.call<Json>('POST', `/console${path}`, { body })
  const endpoint = await post<{ endpoint: { id: string } }>('/endpoints', {
    url: 'https://hooks.example.com/a/rather/long/address/that/does/not/fit/on/a/phone',
    events: ['ticket.created'],
    description: 'Order desk',
  })
  const { id } = endpoint.json.endpoint
  await admin.call('POST', `/console/endpoints/${id}/disable`)
  await client.call('POST', '/tickets', {
    body: { subject: 'Hello', message: 'Hello', customer: { email: 'ana@example.com' }, tags: ['billing'] },
  })
  await post('/keys', { name: 'Website widget', kind: 'public' })
  const reply = await post<{ id: string }>('/saved-replies', {
    name: 'Thanks',
    text: 'Thank you {{customer.name}}',
  })
  const deliveries = await admin.call<{ data: { id: string }[] }>('GET', '/console/deliveries')
  const delivery = deliveries.json.data[0]?.id
  return [`endpoints/${id}`, `saved-replies/${reply.json.id}`, `deliveries/${delivery}`]
}
