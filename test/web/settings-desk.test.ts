import { expect } from 'bun:test'
import { signInAgent } from '../support/agents.ts'
import { type Client, call, sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { openSettings } from '../support/settings-page.ts'
import { writtenIn } from '../support/ticket-page.ts'
import { eventually } from '../support/webhooks.ts'

const PASSWORD = 'correct horse battery'
const bellhop = await sharedBellhop()

browserTest('a saved reply is created with variables, deleted and restored', async () => {
  const { page } = await openSettings(bellhop, '/saved-replies')
  await page.getByText('No saved replies yet').waitFor()
  await page.getByRole('link', { name: 'New reply' }).click()
  await page.getByLabel('Name').fill('Thanks')
  await page.getByLabel('Text').fill('Thank you ')
  await page.getByRole('button', { name: 'First name' }).click()
  await page.keyboard.type('! {{nobody}} knows.')
  await page.getByText("{{nobody}} isn't a variable").waitFor()
  expect(await page.getByRole('region', { name: 'Preview' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Save reply' }).click()

  await page.getByText('Thank you {{customer.firstName}}! {{nobody}} knows.').waitFor()
  await page.getByRole('button', { name: 'Delete Thanks' }).click()
  await page.getByText('No saved replies yet').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: /^Thanks/ }).click()
  expect(await writtenIn(page.getByLabel('Text'))).toBe('Thank you {{customer.firstName}}! {{nobody}} knows.')
})

browserTest('renaming a tag to another one warns and merges them; a tag can be removed', async () => {
  const { page, client } = await openSettings(bellhop, '/tags')
  await createTicket(client, ['invoice', 'vip'])
  await createTicket(client, ['billing'])
  const cleo = await signInAgent(bellhop, client.orgId, { name: 'Cleo' })
  const query = 'tag:invoice tag:vip'
  expect((await cleo.call('POST', '/console/views', { body: { name: 'Mine', query } })).status).toBe(201)
  await page.reload()
  await page.getByRole('button', { name: 'Rename invoice' }).click()
  await page.getByLabel('New name').fill('billing')
  await page.getByText('This merges both tags').waitFor()
  await page.getByRole('button', { name: 'Merge tags' }).click()
  const billing = page.getByRole('listitem').filter({ hasText: 'billing' })
  await billing.getByText('2 tickets').waitFor()
  await page.getByRole('link', { name: 'invoice' }).waitFor({ state: 'detached' })

  const views = await cleo.call<{ data: object[] }>('GET', '/console/views')
  expect(views.json.data).toMatchObject([{ query: 'tag:billing tag:vip' }])

  await page.getByRole('button', { name: 'Remove vip' }).click()
  await page.getByText("1 saved view uses it and won't change.").waitFor()
  await page.getByRole('button', { name: 'Remove tag' }).click()
  await page.getByText('Removed “vip” from 1 ticket.').waitFor()
  await page.getByRole('link', { name: 'vip' }).waitFor({ state: 'detached' })
})

browserTest('an agent changes their name, theme and password, and signs out another device', async () => {
  const { orgId } = await bellhop.organization('Hooli')
  const agent = await signInAgent(bellhop, orgId, { password: PASSWORD })
  const phone = await signInElsewhere(
    agent.email,
    'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0',
  )
  const page = await openPage({ url: bellhop.url, agent })
  await page.goto('/settings/account')
  await page.getByLabel('Your name').fill('Benjamin Okafor')
  await page.getByRole('button', { name: 'Save name' }).click()
  await page.getByText('Name saved.').waitFor()
  // Saying it again replaces it, instead of counting "1 more".
  await page.getByLabel('Your name').fill('Ben Okafor')
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await page.getByRole('button', { name: 'Save name' }).click()
  await saved
  await page.getByRole('button', { name: 'Save name', disabled: true }).waitFor()
  await page.getByText('Name saved.').waitFor()
  expect(await page.getByText('1 more').count()).toBe(0)
  await page.getByText('Dark', { exact: true }).click()
  expect(await page.evaluate(() => document.documentElement.dataset.theme)).toBe('dark')

  await page.getByRole('button', { name: 'Sign out Firefox on Windows' }).click()
  await page.getByText('Signed out Firefox on Windows.').waitFor()
  const devices = page.getByRole('list', { name: 'Devices' }).getByRole('listitem')
  await eventually(async () => (await devices.count()) === 1)
  expect((await call('GET', `${bellhop.url}/console/session`, { headers: { cookie: phone } })).status).toBe(
    401,
  )

  await page.getByLabel('Current password').fill('not this one')
  await page.getByLabel('New password').fill('a new horse battery')
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByRole('alert').waitFor()
  expect(await page.getByLabel('Current password').getAttribute('aria-invalid')).toBe('true')
  await page.getByLabel('Current password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Change password' }).click()
  await page.getByText('Password changed.').waitFor()
  await signInElsewhere(agent.email, 'Test', 'a new horse battery')
})

async function createTicket(client: Client, tags: string[]): Promise<void> {
  const body = { subject: 'Hello', message: 'Hello', customer: { email: 'ana@example.com' }, tags }
  expect((await client.call('POST', '/tickets', { body })).status).toBe(201)
}

/** Answers the cookie of another browser. */
async function signInElsewhere(email: string, device: string, password = PASSWORD): Promise<string> {
  const headers = { 'user-agent': device, 'sec-fetch-site': 'same-origin' }
  const answer = await call('POST', `${bellhop.url}/console/session`, { headers, body: { email, password } })
  expect(answer.status).toBe(201)
  return answer.headers.get('set-cookie')?.split(';')[0] ?? ''
}
