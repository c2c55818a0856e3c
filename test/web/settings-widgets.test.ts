import { expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type SignedInAgent, signInAgent } from '../support/agents.ts'
import { sharedBellhop } from '../support/bellhop.ts'
import { browserTest, interceptRequests, openPage } from '../support/browser.ts'
import { showsForMoment } from '../support/momentary-text.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()

interface Shown {
  id: string
  key: string
  origins: string[]
  appearance: object
  questions: object
  hours: object | null
  verifiedOnly: boolean
}

async function admin(): Promise<SignedInAgent> {
  const { orgId } = await bellhop.organization('Acme')
  return signInAgent(bellhop, orgId, { name: 'Ana', role: 'admin' })
}

async function create(agent: SignedInAgent): Promise<{ id: string; read: () => Promise<Shown> }> {
  const body = { name: 'Shop', origins: ['https://shop.example'] }
  const made = await agent.call<{ widget: Shown }>('POST', '/console/widgets', { body })
  expect(made.status, made.text).toBe(201)
  const { id } = made.json.widget
  return { id, read: async () => (await agent.call<Shown>('GET', `/console/widgets/${id}`)).json }
}

/** The preview is an open shadow root, which selectors look into. */
function preview(page: Page) {
  return page.getByRole('region', { name: 'Preview' })
}

browserTest('a widget is added with its website, and its snippet is there to copy', async () => {
  const page = await openPage({ url: bellhop.url, agent: await admin() })
  const context = page.context()
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto('/settings/widget')
  await page.getByText('No widgets yet').waitFor()
  await page.getByRole('button', { name: 'Add widget' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'New widget' })
  const add = dialog.getByRole('button', { name: 'Add widget' })
  await dialog.getByLabel('Name').fill('Shop')
  await dialog.getByLabel('Website').fill('https://*.com')
  await add.click()
  await dialog.getByText("would allow other people's websites").waitFor()
  // The address of any page names the website.
  await dialog.getByLabel('Website').fill('shop.example/cart?item=7')
  await add.click()
  await page.getByRole('heading', { level: 1, name: 'Shop' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Website 1' }).inputValue()).toBe('https://shop.example')
  await page.getByText('Not seen on any website yet.').waitFor()
  await page.getByText('This snippet works on this machine only. Set BELLHOP_URL').waitFor()
  await Promise.all([
    showsForMoment(page, 'Copied'),
    page.getByRole('button', { name: 'Copy snippet' }).click(),
  ])
  const snippet = await page.evaluate(() => navigator.clipboard.readText())
  expect(snippet).toMatch(
    /^<script async src="http:\/\/[^"]+\/widget\.js" data-key="bellhop_pk_[0-9a-z]{12}_[\w-]{40}"><\/script>$/,
  )
  await page.getByText(`script-src ${bellhop.url}; connect-src ${bellhop.url}`).waitFor()

  await page.getByRole('button', { name: 'Create new key…' }).click()
  await page.getByRole('button', { name: 'Create new key', exact: true }).click()
  await page.getByText('New key created.').waitFor()
  await eventually(async () => {
    const text = await page.locator('section.code-block-text[aria-label="Snippet"]').textContent()
    return text !== null && text !== snippet
  })
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('Paused. No website shows it.').waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await page.getByText('Not seen yet').waitFor()

  // As with a public address in BELLHOP_URL.
  await interceptRequests(page, '**/console/widgets/*', async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replaceAll(bellhop.url, 'https://help.example.com')
    await route.fulfill({ response, body })
  })
  await page.reload()
  await page.getByText('script-src https://help.example.com;').waitFor()
  expect(await page.getByText('works on this machine only').count()).toBe(0)
})

browserTest('the real widget shows each change before it is saved', async () => {
  const agent = await admin()
  const { id, read } = await create(agent)
  const page = await openPage({ url: bellhop.url, agent })
  await page.goto(`/settings/widget/${id}`)
  const panel = preview(page).getByRole('dialog')
  await panel.getByText('Acme').first().waitFor()
  await page.getByLabel('Title').fill('Acme Help')
  await panel.getByText('Acme Help').first().waitFor()
  await page.getByLabel('Greeting').fill('Ask us anything.')
  await panel.getByText('Ask us anything.').waitFor()
  const color = page.getByRole('textbox', { name: 'Color', exact: true })
  await color.fill('#ffee00')
  await page.getByText('Black text, contrast').waitFor()
  await page.getByText('hard to see on a white page').waitFor()
  const launcher = preview(page).locator('button.launcher')
  const colors = () =>
    launcher.evaluate((button) => {
      const { backgroundColor, color: ink } = getComputedStyle(button)
      return [backgroundColor, ink]
    })
  await eventually(async () => (await colors()).join() === 'rgb(255, 238, 0),rgb(0, 0, 0)')
  await color.fill('#ffee0')
  await page.getByRole('button', { name: 'Save appearance' }).click()
  await page.getByText('Must be a color such as #2563eb').waitFor()
  await color.fill('#1F5F7A')
  await page.getByRole('button', { name: /^Language/ }).click()
  await page.getByRole('option', { name: 'Deutsch' }).click()
  await page.getByRole('button', { name: 'Save appearance' }).click()
  await page.getByText('Saved.').waitFor()
  expect((await read()).appearance).toEqual({
    title: 'Acme Help',
    greeting: 'Ask us anything.',
    color: '#1f5f7a',
    position: 'right',
    theme: 'auto',
    language: 'de',
    sound: true,
  })
  // No server is called for the preview, and it leaves with its page.
  await page.getByRole('link', { name: 'Email', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Email' }).waitFor()
  expect(await page.locator('bellhop-widget').count()).toBe(0)
})

browserTest('questions and opening hours are saved, and faults appear where they are', async () => {
  const agent = await admin()
  const { id, read } = await create(agent)
  const page = await openPage({ url: bellhop.url, agent, timeZone: 'Europe/Berlin' })
  await page.goto(`/settings/widget/${id}`)
  await page.getByRole('button', { name: /^Email/ }).click()
  await page.getByRole('option', { name: 'Required' }).click()
  for (const [index, label] of ['Order number', 'Order number', '注文'].entries()) {
    await page.getByRole('button', { name: 'Add field' }).click()
    await page.getByLabel(`Field ${index + 1}`, { exact: true }).fill(label)
  }
  await page.getByRole('checkbox', { name: 'Required' }).first().check()
  await page.getByRole('button', { name: 'Save questions' }).click()
  await page.getByText('Saved.').waitFor()
  expect((await read()).questions).toEqual({
    name: 'off',
    email: 'required',
    fields: [
      { key: 'order_number', label: 'Order number', isRequired: true },
      { key: 'order_number_2', label: 'Order number', isRequired: false },
      { key: 'field', label: '注文', isRequired: false },
    ],
  })

  await page.getByRole('checkbox', { name: 'Show opening hours' }).check()
  await page.getByLabel('Time zone').fill('Berlin')
  await page.getByLabel('Tuesday from').fill('18:00')
  await page.getByLabel('Wednesday to').fill('00:00')
  await page.getByRole('button', { name: 'Save opening hours' }).click()
  await page.getByText('Must be the name of a time zone, such as Europe/Berlin.').waitFor()
  await page.getByText('Tuesday must open before it closes').waitFor()
  await page.getByLabel('Time zone').fill('Europe/Berlin')
  await page.getByLabel('Tuesday from').fill('08:30')
  await page.getByRole('checkbox', { name: 'Friday' }).uncheck()
  await page.getByRole('button', { name: 'Save opening hours' }).click()
  const workday = { from: '09:00', to: '17:00' }
  const days = [
    workday,
    { from: '08:30', to: '17:00' },
    { from: '09:00', to: '24:00' },
    workday,
    null,
    null,
    null,
  ]
  await eventually(async () => (await read()).hours !== null)
  expect((await read()).hours).toEqual({ timeZone: 'Europe/Berlin', days, awayText: '' })
})
