import { afterAll, expect } from 'bun:test'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { signInAgent } from '../support/agents.ts'
import { type Client, sharedBellhop } from '../support/bellhop.ts'
import { browserTest, openPage } from '../support/browser.ts'
import { type ReceivedRequest, startReceiver } from '../support/receiver.ts'
import { eventually } from '../support/webhooks.ts'

const bellhop = await sharedBellhop()
const receiver = await startReceiver()
afterAll(receiver.stop)

browserTest('an endpoint is registered, fails, is fixed, and the failed delivery is resent', async () => {
  const client = await bellhop.organization('Acme')
  const agent = await signInAgent(bellhop, client.orgId, { role: 'admin' })
  const page = await openPage({ url: bellhop.url, agent })
  await page.goto('/settings/endpoints')

  // The empty list has another one.
  await page.getByRole('button', { name: 'New endpoint' }).first().click()
  await page.getByLabel('URL').fill('http://hooks.example.com')
  await page.getByRole('button', { name: 'Register endpoint' }).click()
  expect(await page.getByRole('alert').textContent()).toContain('must start with https://')
  expect(await page.getByLabel('URL').getAttribute('aria-invalid')).toBe('true')

  await page.getByLabel('URL').fill(`${receiver.url}/acme`)
  await page.getByLabel('message.sent').uncheck()
  await page.getByRole('button', { name: 'Register endpoint' }).click()
  const secret = await page.getByRole('textbox', { name: 'Signing secret' }).inputValue()
  expect(secret).toStartWith('whsec_')
  const verify = (await page.getByRole('region', { name: 'Code' }).textContent()) ?? ''
  await page.getByRole('button', { name: "I've saved it" }).click()
  await page.getByRole('link', { name: /acme.*Nothing sent yet/ }).waitFor()

  receiver.respondWith(() => ({ status: 500, body: '{"error":"database is away"}' }))
  await createTicket(client, 'Missing invoice')
  await page.getByRole('link', { name: 'Delivery log' }).click()
  const failed = page.getByRole('link', { name: /Failed.*4 attempts/ })
  await failed.waitFor()
  await failed.click()
  await page.getByRole('heading', { name: 'Delivery', exact: true }).waitFor()
  await eventually(async () => (await page.getByText(/^Attempt \d$/).count()) === 4)
  expect(await page.getByRole('region', { name: 'Response body' }).first().textContent()).toContain(
    '"error": "database is away"',
  )
  expect(await page.getByRole('region', { name: 'Request body' }).textContent()).toContain(
    '"Missing invoice"',
  )
  await page.getByText('Request headers').click()
  await page.getByText('x-service-signature', { exact: false }).waitFor()
  const delivered = receiver.requests.at(-1)
  expect(delivered && verifies(verify, secret, delivered)).toBe(true)
  expect(delivered && verifies(verify, `${secret}x`, delivered)).toBe(false)

  receiver.respondWith(() => ({ body: 'thanks' }))
  await page.getByRole('button', { name: 'Resend' }).click()
  await page.getByText('Attempt 5').waitFor()
  await page.getByText('Delivered', { exact: true }).waitFor()
  await page.getByText('thanks').waitFor()

  await page.goto('/settings/endpoints')
  await page.getByRole('link', { name: /acme.*20% of the last 5 attempts succeeded/ }).waitFor()
})

browserTest('a test delivery shows its result, even while the endpoint is off', async () => {
  receiver.respondWith(() => ({}))
  const client = await bellhop.organization('Globex')
  const { page } = await openEndpoint(client, `${receiver.url}/globex`)
  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByText('Turned off manually.').waitFor()
  await page.getByRole('button', { name: 'Send test delivery' }).click()
  await page.getByText('Status 200.').waitFor()
  expect(receiver.requests.at(-1)?.headers['x-service-test']).toBe('true')

  await createTicket(client, 'Waits')
  await page.getByRole('link', { name: 'View deliveries' }).click()
  await page.getByRole('link', { name: /Held/ }).waitFor()
  await page.goBack()
  await page.getByRole('button', { name: 'Turn on' }).click()
  await page.getByText('Endpoint on.').waitFor()
  await page.getByRole('link', { name: 'View deliveries' }).click()
  await page
    .getByRole('link', { name: /Delivered.*ticket.created/ })
    .first()
    .waitFor()
  await page.getByRole('link', { name: /Held/ }).first().waitFor({ state: 'detached' })
})

browserTest('new events and filters are chosen, and events of before are replayed', async () => {
  receiver.respondWith(() => ({}))
  const client = await bellhop.organization('Initech')
  await createTicket(client, 'Before')
  const { page } = await openEndpoint(client, `${receiver.url}/initech`)
  const isChosen = (label: string) => page.getByRole('checkbox', { name: label }).isChecked()
  await page.getByRole('checkbox', { name: 'ticket.created' }).waitFor()
  expect([await isChosen('ticket.created'), await isChosen('ticket.updated')]).toEqual([true, false])
  await page.getByRole('checkbox', { name: 'ticket.updated' }).check()
  await page.getByText('Filters', { exact: true }).click()
  await page.getByRole('checkbox', { name: 'API', exact: true }).check()
  await page.getByLabel('Tags', { exact: true }).first().fill('vip, urgent')
  await page.getByRole('checkbox', { name: 'Status' }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Endpoint saved.').waitFor()
  await page.reload()
  expect(await page.getByLabel('Tags', { exact: true }).first().inputValue()).toBe('vip, urgent')
  expect([await isChosen('Status'), await isChosen('API'), await isChosen('Email')]).toEqual([
    true,
    true,
    false,
  ])
  await page.getByRole('button', { name: 'Replay events' }).click()
  await page.getByText('Nothing to send in this time.').waitFor()
  await page.getByLabel('Tags', { exact: true }).first().fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Endpoint saved.').first().waitFor()
  await page.getByRole('button', { name: 'Replay events' }).click()
  await page.getByText('Sending 1 event.').waitFor()
  await eventually(() => receiver.requests.some(({ path }) => path.endsWith('/initech')))
})

browserTest('a signing secret is staged, promoted, and replaced immediately', async () => {
  const client = await bellhop.organization('Umbrella')
  const { page } = await openEndpoint(client, `${receiver.url}/umbrella`)
  await page.getByRole('button', { name: 'Stage new secret' }).click()
  const staged = await page.getByRole('textbox', { name: 'Signing secret' }).inputValue()
  await page.getByRole('button', { name: "I've saved it" }).click()
  await page.getByRole('button', { name: 'Promote new secret' }).click()
  await page.getByText('The previous secret still signs').waitFor()

  await page.getByRole('button', { name: 'Replace now…' }).click()
  await page.getByText('The previous secret stops signing now.').waitFor()
  await page.getByRole('button', { name: 'Replace secret' }).click()
  const replaced = await page.getByRole('textbox', { name: 'Signing secret' }).inputValue()
  expect(replaced).toStartWith('whsec_')
  expect(replaced).not.toBe(staged)
})

async function openEndpoint(client: Client, url: string) {
  const agent = await signInAgent(bellhop, client.orgId, { role: 'admin' })
  const made = await agent.call<{ endpoint: { id: string } }>('POST', '/console/endpoints', {
    body: { url, events: ['ticket.created'] },
  })
  const page = await openPage({ url: bellhop.url, agent })
  await page.goto(`/settings/endpoints/${made.json.endpoint.id}`)
  return { page }
}

async function createTicket(client: Client, subject: string): Promise<void> {
  const body = { subject, message: 'Hello', customer: { email: 'ana@example.com' } }
  expect((await client.call('POST', '/tickets', { body })).status).toBe(201)
}

/** Runs the code that the page shows, as a receiver would. */
function verifies(code: string, secret: string, { body, headers }: ReceivedRequest): boolean {
  const names = ['createHmac', 'timingSafeEqual', 'SIGNING_SECRET', 'rawBody', 'signature']
  const run = new Function(...names, `${code}\nreturn isGenuine`)
  return run(createHmac, timingSafeEqual, secret, body, headers['x-service-signature'])
}
